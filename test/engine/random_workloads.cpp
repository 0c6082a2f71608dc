#include "engine/random_maker.hpp"

#include <algorithm>
#include <limits>

namespace sluice::reference {

using engine::Amount;
using Kind = Step::Kind;

std::int64_t Maker::near_largest() {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    const std::vector<std::int64_t> parts = {1, 1, 2, 2, 3, 4};
    return kMost / one_of(parts) - pick(0, 2);
}

std::int64_t Maker::amount() {
    if (saturated_ && chance(35)) {
        return near_largest();
    }
    return pick(chance(90) ? 1 : 0, chance(70) ? 3 : 5);
}

engine::PodSet Maker::pod_set(std::size_t index) {
    engine::PodSet made;
    made.name = "p" + std::to_string(index);
    made.count = std::int32_t(chance(60) ? 1 : pick(1, 4));
    if (chance(20) && made.count > 1) {
        made.min_count = std::int32_t(pick(1, made.count));
    }
    if (chance(5)) {
        made.reclaimable = std::int32_t(pick(0, made.count));
    }
    made.shape = chance(60) ? 0 : std::uint32_t(pick(0, shapes_));
    if (has_topologies_ && chance(15)) {
        return made;  // requests nothing: it may follow its group
    }
    for (const engine::ResourceGroup& group : layout_) {
        for (const std::string& resource : group.covered_resources) {
            if (resource != "pods" && chance(resource == "cpu" ? 95 : 60)) {
                made.requests.push_back({resource, Amount(amount())});
            }
        }
    }
    if (chance(3)) {
        made.requests.push_back({"example.com/other", Amount(pick(0, 1))});
    }
    return made;
}

/// Quota that it was given once: not always what the queue would give today.
engine::QuotaReservation Maker::reservation(const engine::Workload& holder) {
    engine::QuotaReservation made;
    const engine::ClusterQueue& given_by = one_of(queues_);
    made.cluster_queue = given_by.name;
    for (const engine::LocalQueue& local_queue : local_queues_) {
        if (local_queue.ns == holder.ns && local_queue.name == holder.local_queue && !chance(3)) {
            made.cluster_queue = local_queue.cluster_queue;
        }
    }
    if (!chance(10)) {
        made.reserved_at = engine::Time(std::chrono::seconds(900'000)) + seconds(0, 5);
    }
    made.admitted = chance(90);
    made.evicted = chance(8);
    for (const engine::PodSet& pod_set : holder.pod_sets) {
        engine::PodSetAssignment assigned{pod_set.name, {}, pod_set.count - pod_set.reclaimable};
        for (const engine::ResourceGroup& group : layout_) {
            const std::string& flavor = one_of(group.flavors).flavor;
            for (const engine::ResourceRequest& request : pod_set.requests) {
                const auto& covered = group.covered_resources;
                if (std::find(covered.begin(), covered.end(), request.resource) != covered.end()) {
                    assigned.resources.push_back(
                        {request.resource, flavor, request.amount * assigned.count}
                    );
                }
            }
            if (std::find(group.covered_resources.begin(), group.covered_resources.end(), "pods") !=
                group.covered_resources.end()) {
                assigned.resources.push_back({"pods", flavor, Amount(assigned.count)});
            }
        }
        made.pod_sets.push_back(std::move(assigned));
    }
    return made;
}

Step Maker::submission() {
    return {Kind::Submit, "", "", 0, engine::WorkloadChanged{next_workload()}};
}

engine::Workload Maker::workload() {
    engine::Workload made;
    const std::string number = std::to_string(made_.size());
    const engine::LocalQueue& local_queue = one_of(local_queues_);
    made.ns = local_queue.ns;
    made.name = "w" + number;
    made.uid = std::to_string(pick(10, 99)) + "-" + number;
    made.local_queue = chance(98) ? local_queue.name : "nowhere";
    made.priority = pick(-1, 3);
    made.queue_order = engine::Time(std::chrono::seconds(900'000)) + seconds(0, 6);
    made.generation = 1;
    made.scheduling_class = classes_ ? 1 : 0;
    const std::size_t count = chance(70) ? 1 : std::size_t(pick(2, 3));
    for (std::size_t i = 0; i < count; ++i) {
        made.pod_sets.push_back(pod_set(i));
    }
    if (count > 1 && chance(25)) {
        made.pod_sets[0].group = made.pod_sets[1].group = "g";
    }
    made.requests_valid = !chance(3);
    made.preemption_gated = chance(10);
    made.checks_failed = chance(2);
    if (chance(45)) {
        made.reservation = reservation(made);
        made.queueable = false;
        made.pods_ready = chance(result_.options.block_admission_until_pods_ready ? 85 : 20);
    } else if (chance(5)) {
        made.requeue_at = engine::Time(std::chrono::seconds(1'000'000)) + seconds(0, 20);
        made.requeued_false = chance(30);
    }
    return made;
}

/// The job as it wants to be now: mostly more or fewer pods of the same kinds.
void Maker::change_pod_sets(engine::Workload& slice) {
    for (engine::PodSet& pod_set : slice.pod_sets) {
        pod_set.count = std::max(1, pod_set.count + std::int32_t(pick(chance(80) ? 0 : -2, 3)));
        pod_set.reclaimable = std::min(pod_set.reclaimable, pod_set.count);
        if (chance(15)) {
            pod_set.min_count = std::int32_t(pick(1, pod_set.count));
        } else {
            pod_set.min_count.reset();
        }
    }
    auto& pod_sets = slice.pod_sets;
    engine::PodSet& one = pod_sets[prng_.below(pod_sets.size())];
    switch (pick(0, 30)) {
        case 0:
            one.requests = pod_set(0).requests;
            break;
        case 1:
            one.shape = std::uint32_t(pick(0, shapes_));
            break;
        case 2:
            if (std::ranges::find(pod_sets, "p9", &engine::PodSet::name) == pod_sets.end()) {
                one.name = "p9";  // names are unique
            }
            break;
        case 3:
            pod_sets.pop_back();
            break;
        case 4:
            pod_sets.push_back(pod_set(pod_sets.size()));
            break;
        case 5:
            std::swap(pod_sets.front(), pod_sets.back());
            break;
        default:
            break;
    }
    if (pod_sets.empty()) {
        pod_sets.push_back(pod_set(0));
    }
}

/// Makes it replace another workload: one that holds quota, waits, is gone or is somewhere else.
void Maker::make_slice(engine::Workload& made) {
    const engine::Workload* slice = &one_of(made_);
    for (int tries = 0; tries < 4 && !slice->reservation; ++tries) {
        slice = &one_of(made_);
    }
    made.reservation.reset();
    made.queueable = true;
    made.pods_ready = false;
    made.pod_sets = slice->pod_sets;
    change_pod_sets(made);
    if (chance(90)) {
        made.ns = slice->ns;
        made.local_queue = slice->local_queue;
    }
    if (chance(75)) {
        made.priority = slice->priority;
    }
    if (chance(85)) {
        made.job = slice->job;
        made.is_unowned = slice->is_unowned;
    }
    made.replaces = slice->ns + "/" + slice->name;
    if (chance(4)) {
        made.replaces = chance(50) ? "n/absent" : made.ns + "/" + made.name;
    }
}

engine::Workload Maker::next_workload() {
    engine::Workload made = workload();
    if (slices_ > 0 && chance(80)) {
        made.is_unowned = false;
        made.job = chance(90) ? "job" + std::to_string(pick(0, 3)) : "";  // "": of another owner
    }
    if (!made_.empty() && chance(slices_)) {
        make_slice(made);
    }
    workload_keys_.push_back(made.ns + "/" + made.name);
    made_.push_back(made);
    return made;
}

void Maker::make_workloads() {
    const std::int64_t initial = large_ ? pick(40, 150) : pick(2, chance(90) ? 15 : 40);
    for (std::int64_t i = 0; i < initial; ++i) {
        result_.steps.push_back(submission());
    }
}

/// The same quotas in another order.
void Maker::reorder(std::vector<engine::ResourceGroup>& groups) {
    if (groups.empty()) {
        return;
    }
    engine::ResourceGroup& group = groups[prng_.below(groups.size())];
    switch (pick(0, 3)) {
        case 0:
            std::reverse(groups.begin(), groups.end());
            break;
        case 1:
            std::reverse(group.covered_resources.begin(), group.covered_resources.end());
            for (engine::FlavorQuotas& flavor : group.flavors) {
                std::reverse(flavor.quotas.begin(), flavor.quotas.end());
            }
            break;
        default:
            std::rotate(group.flavors.begin(), group.flavors.begin() + 1, group.flavors.end());
    }
}

void Maker::happen_to_objects() {
    const std::size_t which = prng_.below(queues_.size());
    engine::ClusterQueue& changed = queues_[which];
    engine::LocalQueue& local_queue = local_queues_[prng_.below(local_queues_.size())];
    switch (pick(0, 15)) {
        case 12:
            local_queue.fair_weight = double(pick(0, 4)) / 2.0;
            add_object(engine::LocalQueueChanged{local_queue});
            break;
        case 13:
            reorder(changed.resource_groups);
            add_changed(changed);
            break;
        case 14:
            changed.fair_weight = double(pick(0, 4)) / 2.0;
            add_changed(changed);
            break;
        case 15:
            if (cohorts_.empty() || chance(50)) {
                add_changed(changed);  // in what the engine does not see
            } else {
                engine::Cohort& other = cohorts_[prng_.below(cohorts_.size())];
                reorder(other.resource_groups);
                add_object(engine::CohortChanged{other});
            }
            break;
        case 0:
        case 1:
            change_queue(changed);
            add_changed(changed);
            break;
        case 2:
            if (!cohort_names_.empty()) {
                changed.cohort = chance(80) ? one_of(cohort_names_) : "";
                changed.resource_groups = groups(!changed.cohort.empty(), true);
                add_changed(changed);
            }
            break;
        case 3:
            changed.accepts_workloads = !changed.accepts_workloads;
            add_changed(changed);
            break;
        case 4:
            if (chance(30)) {
                add_object(engine::ClusterQueueDeleted{changed.name});
            } else {
                add_object(engine::ClusterQueueChanged{changed});
            }
            break;
        case 5:
        case 6:
            local_queue.stopped = !local_queue.stopped;
            add_object(engine::LocalQueueChanged{local_queue});
            break;
        case 7:
            local_queue.namespace_match =
                chance(60) ? engine::NamespaceMatch::Matches : engine::NamespaceMatch::Mismatch;
            add_object(engine::LocalQueueChanged{local_queue});
            break;
        case 8:
            if (chance(30)) {
                add_object(engine::LocalQueueDeleted{local_queue.ns, local_queue.name});
            } else {
                add_object(engine::LocalQueueChanged{local_queue});
            }
            break;
        case 9:
        case 10:
            if (!cohort_names_.empty()) {
                const std::string& name = one_of(cohort_names_);
                if (chance(25)) {
                    add_object(engine::CohortDeleted{name});
                } else {
                    cohorts_.push_back(cohort(name));
                    add_object(engine::CohortChanged{cohorts_.back()});
                }
            }
            break;
        default:
            if (chance(50) && shapes_ > 0) {
                const auto id = std::uint32_t(pick(1, shapes_));
                if (chance(20)) {
                    add_object(engine::PodShapeDeleted{id});
                } else {
                    add_object(engine::PodShapeChanged{shape(id)});
                }
            } else if (chance(50)) {
                add_object(engine::FlavorDeleted{one_of(flavors_)});
            } else {
                add_object(engine::FlavorChanged{flavor(one_of(flavors_))});
            }
    }
}

void Maker::happen_to_workloads() {
    const auto any_pod_set = [&] { return "p" + std::to_string(chance(60) ? 0 : pick(1, 2)); };
    switch (pick(0, 25)) {
        case 22:
            add(Kind::SetCount, any_workload(), pick(1, 4), any_pod_set());
            break;
        case 23:
        case 24:
            add(Kind::SetActive, any_workload(), pick(0, 1));
            break;
        case 19:
            add(Kind::SetAdmitted, any_workload());
            break;
        case 20:
            add(Kind::SetReady, any_workload(), chance(80) ? 1 : 0);
            break;
        case 21:
            add(Kind::SetBoost, any_workload(), pick(-1, 4));
            break;
        case 0:
        case 1:
            add(Kind::Finish, any_workload());
            break;
        case 2:
            add(Kind::Delete, any_workload());
            break;
        case 3:
            add(Kind::SetPriority, any_workload(), pick(-1, 3));
            break;
        case 4:
            add(Kind::SetReclaimable, any_workload(), pick(0, 3), any_pod_set());
            break;
        case 5:
            add(Kind::SetRequests, any_workload(), chance(80) ? pick(0, 4) : amount(), any_pod_set()
            );
            break;
        case 6:
            add(Kind::SetRequeue, any_workload(), chance(30) ? -1 : seconds(0, 10).count());
            break;
        case 7:
            add(Kind::SetRequeued, any_workload(), pick(0, 1));
            break;
        case 8:
            add(chance(50) ? Kind::SetGate : Kind::SetChecks, any_workload(), pick(0, 1));
            break;
        case 25:
            add(Kind::SetValid, any_workload(), chance(70) ? 1 : 0);
            break;
        case 9:
            add(Kind::SetHold, any_workload(), pick(0, 1));
            break;
        case 10:
            add(Kind::Move, any_workload(), 0, one_of(local_queues_).name);
            break;
        case 11:
            if (slices_ > 0 && chance(50)) {
                add(Kind::SetReplaces, any_workload(), 0, chance(80) ? any_workload() : "");
            } else {
                add(Kind::Touch, any_workload());
            }
            break;
        case 12:
            add(Kind::ConfirmEviction, any_workload());
            break;
        case 13:
            add(Kind::FailAdmission, chance(70) ? any_workload() : "", pick(0, 2));
            break;
        case 14:
            add(Kind::FailEviction, any_workload());
            break;
        case 15:
            add(Kind::StaleEcho);
            break;
        case 16:
            add(Kind::Release, any_workload(), chance(50) ? 1 : seconds(1, 9).count());
            break;
        default:
            result_.steps.push_back(submission());
    }
}

void Maker::happen() {
    const std::int64_t rounds = pick(3, 14);
    for (std::int64_t i = 0; i < rounds; ++i) {
        add(Kind::Cycle);
        if (chance(70)) {
            add(Kind::ConfirmAdmission, "", pick(0, 1) + (chance(20) ? 2 : 0) + (chance(5) ? 4 : 0)
            );
        }
        if (chance(75)) {
            add(Kind::EndSlice);
        }
        if (chance(50)) {
            add(Kind::SetAdmitted);
        }
        if (chance(result_.options.block_admission_until_pods_ready ? 70 : 10)) {
            add(Kind::SetReady, "", 1);
        }
        if (chance(60)) {
            add(Kind::ConfirmEviction);
        }
        if (chance(55)) {
            add(Kind::Release);
        }
        for (std::int64_t k = pick(0, 2); k > 0; --k) {
            happen_to_workloads();
        }
        if (chance(25)) {
            happen_to_objects();
        }
        if (chance(50)) {
            add(Kind::Advance, "", seconds(1, 5).count());
        }
        if (chance(30)) {
            add(Kind::Timer);
        }
    }
    add(Kind::Cycle);
    add(Kind::Cycle);
}

}  // namespace sluice::reference
