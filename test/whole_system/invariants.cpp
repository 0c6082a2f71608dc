#include "whole_system/invariants.hpp"

#include "api/core/job.hpp"
#include "api/kueue/kueue_names.hpp"
#include "api/kueue/local_queue.hpp"
#include "api/meta/codec.hpp"
#include "base/assert.hpp"
#include "json/value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace sluice::whole_system {

namespace {

const apiserver::Collection kWorkloads{std::string(api::kKueueGroup), "workloads"};
const apiserver::Collection kPods{"", "pods"};

/// Enough to see what happened; the rest says the same again.
constexpr std::size_t kProblemsMax = 20;

std::string full_name(const apiserver::ObjectName& name) {
    return name.ns.empty() ? name.name : name.ns + "/" + name.name;
}

bool is_true(const api::Workload& workload, std::string_view type) {
    return std::ranges::any_of(workload.status.conditions, [type](const api::Condition& each) {
        return each.type_ == type && each.status == "True";
    });
}

/// The store holds what passed the schema, so that it can be read.
template <class T>
T read(const apiserver::Snapshot& object) {
    auto made = api::from_value<T>(*object);
    SLUICE_ASSERT(made.has_value());
    return std::move(*made);
}

bool grows(const std::optional<Holding>& before, const Holding& after) {
    if (!before || before->cluster_queue != after.cluster_queue) {
        return true;
    }
    return std::ranges::any_of(after.amounts, [&before](const auto& each) {
        const auto old = before->amounts.find(each.first);
        return old == before->amounts.end() || each.second > old->second;
    });
}

/// What an admitted job makes is admitted with it, whatever its labels say.
bool names_queue(const json::Value& object) {
    const json::Value* labels = object.find_path({"metadata", "labels"});
    return labels != nullptr && labels->find(api::label::kQueueName) != nullptr &&
           object.find_path({"metadata", "ownerReferences"}) == nullptr;
}

}  // namespace

Invariants::Invariants(apiserver::State& state, std::function<Time()> now)
    : state_(state), now_(std::move(now)) {
    state_.store.add_observer(
        [this](const apiserver::Collection& collection, const apiserver::LogEntry& entry) {
            note(collection, entry);
        }
    );
}

void Invariants::add_problem(std::string text) {
    if (problems_.size() < kProblemsMax) {
        const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(
            now_().time_since_epoch() % std::chrono::hours(24)
        );
        problems_.push_back(fmt::format("{} ms: {}", since.count(), text));
    }
}

void Invariants::digest(const apiserver::Collection& collection, const apiserver::LogEntry& entry) {
    const auto add = [this](std::string_view text) {
        for (const char each : text) {
            digest_ = (digest_ ^ static_cast<unsigned char>(each)) * 1'099'511'628'211U;
        }
    };
    add(collection.plural);
    add(full_name(entry.name));
    add(std::to_string(entry.version));
    if (entry.after) {
        add(json::print(*entry.after));
    }
}

void Invariants::note(const apiserver::Collection& collection, const apiserver::LogEntry& entry) {
    digest(collection, entry);
    count_write(collection, entry.name);
    if (collection == kWorkloads) {
        note_workload(entry);
    } else if (const JobKind* kind = find_job_kind(collection); kind != nullptr) {
        note_job(*kind, entry);
    } else if (collection.plural == api::ClusterQueue::kPlural) {
        note_queue(entry);
    } else if (collection.plural == api::Cohort::kPlural) {
        note_cohort(entry);
    }
}

void Invariants::count_write(
    const apiserver::Collection& collection, const apiserver::ObjectName& name
) {
    if (loops_.count_write(collection, name, now_())) {
        add_problem(fmt::format("{} {} is written in a loop", collection.plural, full_name(name)));
    }
}

void Invariants::note_queue(const apiserver::LogEntry& entry) {
    const std::string& name = entry.name.name;
    if (!entry.after) {
        keep_quotas();
        ledger_.remove_queue(name);
        return;
    }
    const auto queue = read<api::ClusterQueue>(entry.after);
    const api::ClusterQueue* known = ledger_.find_queue(name);
    if (known == nullptr || known->spec != queue.spec) {
        keep_quotas();
    }
    ledger_.put(queue);
}

void Invariants::note_cohort(const apiserver::LogEntry& entry) {
    const std::string& name = entry.name.name;
    if (!entry.after) {
        keep_quotas();
        ledger_.remove_cohort(name);
        return;
    }
    const auto cohort = read<api::Cohort>(entry.after);
    const api::Cohort* known = ledger_.find_cohort(name);
    if (known == nullptr || known->spec != cohort.spec) {
        keep_quotas();
    }
    ledger_.put(cohort);
}

void Invariants::keep_quotas() {
    std::erase_if(former_quotas_, [this](const auto& each) {
        return now_() - each.first > kOnItsWay;
    });
    former_quotas_.emplace_back(now_(), ledger_.quotas());
}

/// By the quotas there are, and by each of those that the controller may still have seen: queues
/// and cohorts come to it on their own ways.
std::string Invariants::find_excess(const Holding& holding) const {
    std::string excess = ledger_.find_excess(holding);
    if (excess.empty()) {
        return excess;
    }
    std::vector<Quotas> seen{ledger_.quotas()};
    for (const auto& [until, quotas] : former_quotas_) {
        if (now_() - until <= kOnItsWay) {
            seen.push_back(quotas);
        }
    }
    for (const Quotas& queues : seen) {
        for (const Quotas& cohorts : seen) {
            if (!queues.queues.contains(holding.cluster_queue)) {
                continue;
            }
            const Quotas quotas{.queues = queues.queues, .cohorts = cohorts.cohorts};
            if (ledger_.with(quotas).find_excess(holding).empty()) {
                return "";
            }
        }
    }
    return excess;
}

void Invariants::note_workload(const apiserver::LogEntry& entry) {
    const auto before =
        entry.before ? std::optional(read<api::Workload>(entry.before)) : std::nullopt;
    const auto after = entry.after ? std::optional(read<api::Workload>(entry.after)) : std::nullopt;
    const bool was_admitted = before && is_true(*before, api::condition::kAdmitted);
    const bool is_admitted = after && is_true(*after, api::condition::kAdmitted);
    if (was_admitted || is_admitted) {
        for (const auto& owner : (after ? after : before)->metadata.owner_references) {
            admitted_until_[owner.uid] = now_();
        }
    }
    const auto held = before ? holding_of(*before) : std::nullopt;
    const auto holding = after ? holding_of(*after) : std::nullopt;
    // As in Kueue, what is deactivated gives its quota back at once, before its pods have ended.
    ledger_.hold(entry.name, after && after->spec.active.value_or(true) ? holding : std::nullopt);
    evictions_ += held && !holding && after && !is_true(*after, api::condition::kFinished) ? 1 : 0;
    if (!holding) {
        return;
    }
    if (held && held->cluster_queue != holding->cluster_queue) {
        add_problem(full_name(entry.name) + " went to another queue while it held quota");
    }
    if (grows(held, *holding)) {
        ++admissions_;
        // Preemption in turns is the policy's, and slower than a loop of writes.
        loops_.forget(kWorkloads, entry.name);
        check_admission(entry.name, *holding);
    }
}

void Invariants::check_admission(const apiserver::ObjectName& name, const Holding& holding) {
    if (const std::string excess = find_excess(holding); !excess.empty()) {
        add_problem(fmt::format("{} was admitted beyond quota: {}", full_name(name), excess));
    }
    const auto me = read<api::Workload>(state_.store.find(kWorkloads, name));
    for (const auto& [other, their] : ledger_.holdings()) {
        if (other == name || other.ns != name.ns) {
            continue;
        }
        const auto they = read<api::Workload>(state_.store.find(kWorkloads, other));
        for (const auto& owner : me.metadata.owner_references) {
            const bool is_same =
                std::ranges::any_of(they.metadata.owner_references, [&owner](const auto& each) {
                    return each.uid == owner.uid;
                });
            if (is_same) {
                add_problem(fmt::format(
                    "{} {} holds quota twice: by {} and {}",
                    owner.kind,
                    owner.name,
                    name.name,
                    other.name
                ));
            }
        }
    }
}

/// A controller that starts a job has seen it admitted, though the admission may be gone by now.
void Invariants::note_job(const JobKind& kind, const apiserver::LogEntry& entry) {
    if (!entry.after || kind.is_suspended(*entry.after) || !names_queue(*entry.after) ||
        entry.name.name == user_writes_ || (entry.before && !kind.is_suspended(*entry.before))) {
        return;
    }
    const json::Value* uid = entry.after->find_path({"metadata", "uid"});
    const auto seen = admitted_until_.find(uid->as_string());
    if (!has_admitted(uid->as_string()) &&
        (seen == admitted_until_.end() || now_() - seen->second > kOnItsWay)) {
        add_problem(fmt::format(
            "{} {} was started without admission", kind.collection.plural, full_name(entry.name)
        ));
    }
}

std::vector<std::pair<apiserver::ObjectName, api::Workload>> Invariants::workloads() const {
    std::vector<std::pair<apiserver::ObjectName, api::Workload>> made;
    for (const auto& [name, object] : state_.store.objects(kWorkloads)) {
        made.emplace_back(name, read<api::Workload>(object));
    }
    return made;
}

bool Invariants::has_admitted(std::string_view uid) const {
    for (const auto& [collection, name] : state_.dependents(uid)) {
        if (collection == kWorkloads &&
            is_true(
                read<api::Workload>(state_.store.find(kWorkloads, name)), api::condition::kAdmitted
            )) {
            return true;
        }
    }
    return false;
}

void Invariants::check_at_rest() {
    for (const JobKind& kind : job_kinds()) {
        for (const auto& [name, job] : state_.store.objects(kind.collection)) {
            const json::Value* uid = job->find_path({"metadata", "uid"});
            if (!is_over(*job) && names_queue(*job) && !kind.is_suspended(*job) &&
                job->find_path({"metadata", "deletionTimestamp"}) == nullptr &&
                !has_admitted(uid->as_string())) {
                add_problem(fmt::format(
                    "{} {} runs without admission", kind.collection.plural, full_name(name)
                ));
            }
        }
    }
}

const api::ClusterQueue* Invariants::queue_of(const api::Workload& workload) const {
    const auto local = state_.store.find(
        {std::string(api::kKueueGroup), std::string(api::LocalQueue::kPlural)},
        {workload.metadata.namespace_, workload.spec.queue_name}
    );
    return local == nullptr ? nullptr
                            : ledger_.find_queue(read<api::LocalQueue>(local).spec.cluster_queue);
}

namespace {

/// The ways in which a workload's pod sets, each on one flavor, can take quota.
std::vector<Holding> ways_of(const api::Workload& workload, const api::ClusterQueue& queue) {
    std::vector<Holding> made;
    for (const api::ResourceGroup& group : queue.spec.resource_groups) {
        for (const api::FlavorQuotas& flavor : group.flavors) {
            Holding way{.cluster_queue = queue.metadata.name, .amounts = {}};
            for (const api::PodSet& pod_set : workload.spec.pod_sets) {
                for (const auto& container : pod_set.template_->spec.containers) {
                    for (const auto& [resource, amount] : container.resources.requests) {
                        way.amounts[{flavor.name, resource}] +=
                            api::Quantity::from_billionths(amount.billionths() * pod_set.count);
                    }
                }
            }
            made.push_back(std::move(way));
        }
    }
    return made;
}

}  // namespace

bool Invariants::can_ever_be_admitted(const api::Workload& workload) const {
    const api::ClusterQueue* queue = queue_of(workload);
    return queue != nullptr &&
           std::ranges::any_of(ways_of(workload, *queue), [this](const Holding& way) {
               return ledger_.could_have_room(way);
           });
}

/// In a queue in strict order, what comes first and cannot be admitted holds all others up.
bool Invariants::is_behind_another(const api::Workload& workload, const api::ClusterQueue& queue)
    const {
    if (queue.spec.queueing_strategy != "StrictFIFO") {
        return false;
    }
    const std::int32_t priority = workload.spec.priority.value_or(0);
    return std::ranges::any_of(workloads(), [&](const auto& each) {
        const api::Workload& other = each.second;
        return queue_of(other) == &queue && other.metadata.uid != workload.metadata.uid &&
               !is_true(other, api::condition::kFinished) &&
               !is_true(other, api::condition::kQuotaReserved) &&
               other.spec.priority.value_or(0) >= priority;
    });
}

void Invariants::check_pending(const apiserver::ObjectName& name, const api::Workload& workload) {
    const api::ClusterQueue* queue = queue_of(workload);
    if (queue == nullptr || is_behind_another(workload, *queue) ||
        is_true(workload, api::condition::kWaitingForReplacementPods)) {
        return;
    }
    for (const Holding& way : ways_of(workload, *queue)) {
        if (ledger_.has_room(way)) {
            add_problem(fmt::format(
                "{} waits though it fits: {}",
                full_name(name),
                json::print(*state_.store.find(kWorkloads, name)->find("status"))
            ));
            return;
        }
    }
}

void Invariants::check_at_end() {
    check_at_rest();
    for (const auto& [name, workload] : workloads()) {
        if (is_true(workload, api::condition::kFinished) || !workload.spec.active.value_or(true)) {
            continue;
        }
        if (!is_true(workload, api::condition::kQuotaReserved)) {
            check_pending(name, workload);
        } else if (!is_true(workload, api::condition::kAdmitted)) {
            add_problem(fmt::format("{} has quota but is not admitted", full_name(name)));
        } else if (!is_true(workload, api::condition::kWaitingForReplacementPods)) {
            add_problem(fmt::format("{} never ended", full_name(name)));
        }
    }
}

void Invariants::check_nothing_left() {
    std::vector<apiserver::Collection> collections{kWorkloads, kPods};
    std::ranges::transform(job_kinds(), std::back_inserter(collections), &JobKind::collection);
    for (const apiserver::Collection& collection : collections) {
        for (const auto& [name, object] : state_.store.objects(collection)) {
            add_problem(fmt::format(
                "left: {} {}: {}", collection.plural, full_name(name), json::print(*object)
            ));
        }
    }
    const apiserver::Collection queues{
        std::string(api::kKueueGroup), std::string(api::ClusterQueue::kPlural)
    };
    for (const auto& [name, object] : state_.store.objects(queues)) {
        const auto queue = read<api::ClusterQueue>(object);
        const auto is_used = [](const api::FlavorUsage& flavor) {
            return std::ranges::any_of(flavor.resources, [](const api::ResourceUsage& each) {
                return !each.total.is_zero();
            });
        };
        if (std::ranges::any_of(queue.status.flavors_usage, is_used) ||
            std::ranges::any_of(queue.status.flavors_reservation, is_used) ||
            queue.status.pending_workloads != 0 || queue.status.admitted_workloads != 0 ||
            queue.status.reserving_workloads != 0) {
            add_problem(fmt::format(
                "ClusterQueue {} still counts: {}", name.name, json::print(*object->find("status"))
            ));
        }
    }
}

}  // namespace sluice::whole_system
