#include "engine/random_clusters.hpp"

#include <algorithm>

namespace sluice::reference {

using engine::Event;
using engine::Time;
using engine::Workload;
using Kind = Step::Kind;

namespace {

std::string name_of(const std::string& key) {
    return key.substr(key.find('/') + 1);
}
std::string ns_of(const std::string& key) {
    return key.substr(0, key.find('/'));
}

/// Workloads are equivalent when podSets and priority are: a number from their content.
std::uint64_t class_of_content(const Workload& workload) {
    std::uint64_t hash = 14695981039346656037U;
    const auto mix = [&](std::uint64_t value) { hash = (hash ^ value) * 1099511628211U; };
    const auto mix_text = [&](const std::string& text) {
        for (const char c : text) {
            mix(static_cast<unsigned char>(c));
        }
        mix(256);
    };
    for (const engine::PodSet& pod_set : workload.pod_sets) {
        mix_text(pod_set.name);
        mix(std::uint64_t(pod_set.count - pod_set.reclaimable));
        mix(std::uint64_t(pod_set.min_count.value_or(-1)));
        mix(pod_set.shape);
        mix_text(pod_set.group);
        for (const engine::ResourceRequest& request : pod_set.requests) {
            mix_text(request.resource);
            mix(std::uint64_t(request.amount.value()));
        }
    }
    mix(std::uint64_t(workload.priority));
    return hash | 1U;
}

}  // namespace

std::vector<std::string> View::targets_of(const Step& step) const {
    const auto applies = [&](const std::string& key) {
        const auto object = objects_.find(key);
        if (object == objects_.end()) {
            return false;
        }
        const auto& reservation = object->second.reservation;
        switch (step.kind) {
            case Kind::ConfirmAdmission:
            case Kind::FailAdmission:
            case Kind::StaleEcho:
                return outstanding_.contains(key);
            case Kind::ConfirmEviction:
                return reservation && !reservation->evicted && !outstanding_.contains(key) &&
                       (!step.target.empty() || evicting_.contains(key));
            case Kind::FailEviction:
                return evicting_.contains(key);
            case Kind::Release:
                return reservation && reservation->evicted;
            case Kind::SetAdmitted:
                return reservation && !reservation->admitted && !outstanding_.contains(key);
            case Kind::SetReady:
                return reservation && !outstanding_.contains(key);
            case Kind::SetPriority:
            case Kind::SetReclaimable:
            case Kind::SetRequests:
            case Kind::SetRequeue:
            case Kind::SetRequeued:
            case Kind::SetGate:
            case Kind::SetChecks:
            case Kind::SetHold:
            case Kind::Move:
            case Kind::Touch:
            case Kind::SetBoost:
            case Kind::SetReplaces:
            case Kind::SetCount:
            case Kind::SetActive:
            case Kind::SetValid:
                return !outstanding_.contains(key);
            case Kind::EndSlice:
                return replaced_.contains(key) && !outstanding_.contains(key);
            case Kind::Finish:
            case Kind::Delete:
                return true;
            case Kind::Object:
            case Kind::Submit:
            case Kind::Cycle:
            case Kind::Advance:
            case Kind::Timer:
                return false;
        }
        return false;
    };
    std::vector<std::string> result;
    for (const auto& [key, object] : objects_) {
        if ((step.target.empty() || step.target == key) && applies(key)) {
            result.push_back(key);
        }
    }
    return result;
}

namespace {

/// The podSet that the step speaks of; the first when it names none that there is.
engine::PodSet& pod_set_of(Workload& workload, const Step& step) {
    for (engine::PodSet& pod_set : workload.pod_sets) {
        if (pod_set.name == step.other) {
            return pod_set;
        }
    }
    return workload.pod_sets.front();
}

/// What a user changes in a workload that still exists; false: it is another kind of step.
bool change_fields(Workload& workload, const Step& step, Time now) {
    const bool held = workload.reservation.has_value();
    const bool on = step.number == 1;
    engine::PodSet& pod_set = pod_set_of(workload, step);
    if (step.kind == Kind::SetPriority) {
        workload.priority = step.number;
        ++workload.generation;
    } else if (step.kind == Kind::SetBoost) {
        workload.priority = step.number;
        ++workload.condition_stamp;
    } else if (step.kind == Kind::SetAdmitted) {
        workload.reservation->admitted = true;
    } else if (step.kind == Kind::SetReplaces) {
        workload.replaces = step.other;
    } else if (step.kind == Kind::SetReady) {
        workload.pods_ready = on;
    } else if (step.kind == Kind::SetReclaimable) {
        pod_set.reclaimable = std::min(std::int32_t(step.number), pod_set.count);
    } else if (step.kind == Kind::SetCount) {
        pod_set.count = std::int32_t(step.number);
        pod_set.reclaimable = std::min(pod_set.reclaimable, pod_set.count);
        if (pod_set.min_count) {
            pod_set.min_count = std::min(*pod_set.min_count, pod_set.count);
        }
        ++workload.generation;
    } else if (step.kind == Kind::SetRequests && !held) {
        for (auto& request : pod_set.requests) {
            request.amount = engine::Amount(step.number);
        }
        ++workload.generation;
    } else if (step.kind == Kind::SetRequeue) {
        workload.requeue_at.reset();
        if (step.number >= 0) {
            workload.requeue_at = now + engine::Duration(step.number);
        }
    } else if (step.kind == Kind::SetRequeued) {
        workload.condition_stamp += workload.requeued_false == on ? 0U : 1U;
        workload.requeued_false = on;
    } else if (step.kind == Kind::SetGate) {
        workload.preemption_gated = on;
    } else if (step.kind == Kind::SetChecks) {
        workload.checks_failed = on;
    } else if (step.kind == Kind::SetValid) {
        workload.requests_valid = on;
    } else if (step.kind == Kind::SetHold) {
        workload.queueable = !held && on;
    } else if (step.kind == Kind::Move && !held) {
        workload.local_queue = step.other;
        ++workload.generation;
    } else if (step.kind == Kind::Touch) {
        ++workload.generation;
    } else {
        return false;
    }
    return true;
}

}  // namespace

Workload View::shown(const std::string& key) const {
    Workload made = objects_.at(key);
    if (finished_.contains(key) || inactive_.contains(key)) {
        made.ended = true;
        made.queueable = false;
    }
    if (finished_.contains(key)) {
        made.reservation.reset();
    }
    return made;
}

void View::change(Workload& workload, const Step& step, Time now) {
    if (change_fields(workload, step, now)) {
        // Nothing about its quota.
    } else if (step.kind == Kind::Release) {
        workload.reservation.reset();
        workload.pods_ready = false;
        workload.queueable = true;
        ++workload.condition_stamp;
        workload.requeued_false = step.number == 1;
        workload.requeue_at.reset();
        if (step.number > 1) {
            workload.requeue_at = now + engine::Duration(step.number);
        }
    } else if (step.kind == Kind::ConfirmEviction) {
        workload.reservation->evicted = true;
        ++workload.condition_stamp;
    } else if (step.kind == Kind::Finish || step.kind == Kind::EndSlice) {
        finished_.insert(workload.ns + "/" + workload.name);
    } else if (step.kind == Kind::SetActive && step.number == 1) {
        inactive_.erase(workload.ns + "/" + workload.name);
        ++workload.generation;
    } else if (step.kind == Kind::SetActive) {
        inactive_.insert(workload.ns + "/" + workload.name);
        ++workload.generation;
    }
    if (workload.scheduling_class != 0) {
        workload.scheduling_class = class_of_content(workload);
    }
}

void View::forget(const std::string& key) {
    objects_.erase(key);
    outstanding_.erase(key);
    evicting_.erase(key);
    finished_.erase(key);
    replacing_.erase(key);
    replaced_.erase(key);
    inactive_.erase(key);
}

void View::confirm(const std::string& key, const Step& step, Time, std::vector<Event>& out) {
    Workload& workload = objects_.at(key);
    const engine::AdmissionWritten written{ns_of(key), name_of(key)};
    workload.reservation = outstanding_.at(key);
    workload.reservation->admitted = (step.number & 2) == 0;
    workload.queueable = false;
    outstanding_.erase(key);
    if (const auto replaced = replacing_.extract(key)) {
        replaced_.insert(replaced.mapped());
    }
    if ((step.number & 4) != 0) {
        out.emplace_back(engine::WorkloadChanged{shown(key)});
        workload.reservation.reset();
        workload.queueable = true;
        ++workload.condition_stamp;
        evicting_.erase(key);
        out.emplace_back(engine::WorkloadChanged{shown(key)});
        out.emplace_back(written);
    } else if ((step.number & 1) != 0) {
        out.emplace_back(engine::WorkloadChanged{shown(key)});
        out.emplace_back(written);
    } else {
        out.emplace_back(written);
        out.emplace_back(engine::WorkloadChanged{shown(key)});
    }
}

std::vector<Event> View::events_of(const Step& step, Time now) {
    std::vector<Event> out;
    if (step.kind == Kind::Object) {
        return {*step.event};
    }
    if (step.kind == Kind::Timer) {
        return {engine::TimerFired{}};
    }
    if (step.kind == Kind::Submit) {
        Workload workload = std::get<engine::WorkloadChanged>(*step.event).workload;
        const std::string key = workload.ns + "/" + workload.name;
        if (objects_.contains(key)) {
            return {};
        }
        if (workload.scheduling_class != 0) {
            workload.scheduling_class = class_of_content(workload);
        }
        objects_[key] = workload;
        return {engine::WorkloadChanged{shown(key)}};
    }
    for (const std::string& key : targets_of(step)) {
        if (step.kind == Kind::ConfirmAdmission) {
            confirm(key, step, now, out);
        } else if (step.kind == Kind::FailAdmission) {
            const bool gone = step.number == 1;
            out.emplace_back(
                engine::AdmissionFailed{ns_of(key), name_of(key), gone, step.number == 2}
            );
            outstanding_.erase(key);
            evicting_.erase(key);
            replacing_.erase(key);
            if (gone) {
                out.emplace_back(engine::WorkloadDeleted{ns_of(key), name_of(key)});
                forget(key);
            }
        } else if (step.kind == Kind::StaleEcho) {
            out.emplace_back(engine::WorkloadChanged{shown(key)});
        } else if (step.kind == Kind::FailEviction) {
            out.emplace_back(engine::PreemptionFailed{ns_of(key), name_of(key)});
            evicting_.erase(key);
        } else if (step.kind == Kind::Delete) {
            out.emplace_back(engine::WorkloadDeleted{ns_of(key), name_of(key)});
            forget(key);
        } else if (step.kind != Kind::Finish || !outstanding_.contains(key)) {
            change(objects_.at(key), step, now);
            if (step.kind == Kind::EndSlice) {
                replaced_.erase(key);
            }
            const Workload changed = shown(key);
            if (!changed.reservation || changed.reservation->evicted || changed.ended) {
                evicting_.erase(key);
            }
            out.emplace_back(engine::WorkloadChanged{changed});
        }
    }
    return out;
}

void View::take(const support::Outcome& outcome, Time now) {
    for (const support::NamedAdmission& admission : outcome.admitted) {
        engine::QuotaReservation reservation;
        reservation.cluster_queue = admission.cluster_queue;
        reservation.reserved_at = now;
        reservation.admitted = true;
        for (const support::NamedPodSet& pod_set : admission.pod_sets) {
            engine::PodSetAssignment assigned{pod_set.name, {}, pod_set.count};
            for (const support::NamedAssignment& flavor : pod_set.flavors) {
                assigned.resources.push_back(
                    {flavor.resource, flavor.flavor, engine::Amount(flavor.amount.value_or(0))}
                );
            }
            reservation.pod_sets.push_back(std::move(assigned));
        }
        outstanding_[admission.workload] = std::move(reservation);
        if (!admission.replaces.empty()) {
            replacing_[admission.workload] = admission.replaces;
        }
    }
    for (const support::NamedPreemption& preemption : outcome.preempted) {
        evicting_[preemption.victim] = true;
    }
}

}  // namespace sluice::reference
