#include "engine/reference.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace sluice::reference {

namespace {

std::string key_of(const engine::Workload& workload) {
    return workload.ns + "/" + workload.name;
}

using GroupNames = std::pair<std::set<std::string>, std::vector<std::string>>;

std::vector<GroupNames> flavors_in_order(const engine::ClusterQueue& queue) {
    std::vector<GroupNames> result;
    for (const engine::ResourceGroup& group : queue.resource_groups) {
        GroupNames& names = result.emplace_back();
        names.first = {group.covered_resources.begin(), group.covered_resources.end()};
        for (const engine::FlavorQuotas& flavor : group.flavors) {
            names.second.push_back(flavor.flavor);
        }
    }
    return result;
}

std::map<Pair, engine::ResourceQuota> quotas_of(const engine::ClusterQueue& queue) {
    std::map<Pair, engine::ResourceQuota> result;
    for (const engine::ResourceGroup& group : queue.resource_groups) {
        for (const engine::FlavorQuotas& flavor : group.flavors) {
            for (std::size_t i = 0; i < group.covered_resources.size(); ++i) {
                result[{flavor.flavor, group.covered_resources[i]}] = flavor.quotas[i];
            }
        }
    }
    return result;
}

}  // namespace

Cluster::Cluster(engine::Options options) : options_(std::move(options)) {}

void Cluster::apply(const engine::Event& event, Time now) {
    std::visit([&](const auto& concrete) { on(concrete, now); }, event);
}

void Cluster::on(const engine::FlavorChanged& event, Time now) {
    const auto known = flavors_.find(event.flavor.name);
    const bool is_same =
        known != flavors_.end() && known->second.topology.empty() == event.flavor.topology.empty();
    flavors_[event.flavor.name] = event.flavor;
    if (is_same) {
        return;
    }
    for (const auto& [name, queue] : queues_) {
        for (const engine::ResourceGroup& group : queue.object.resource_groups) {
            for (const engine::FlavorQuotas& flavor : group.flavors) {
                if (flavor.flavor == event.flavor.name) {
                    wake(tree_with_queue(name), now);
                }
            }
        }
    }
}

void Cluster::on(const engine::FlavorDeleted& event, Time) {
    flavors_.erase(event.name);
}

void Cluster::on(const engine::CohortChanged& event, Time now) {
    const std::string& name = event.cohort.name;
    const auto known = cohorts_.find(name);
    if (known != cohorts_.end() && known->second == event.cohort) {
        return;
    }
    const std::string parent_before = parent_of(name);
    std::set<std::string> touched = queues_of_tree(name);
    cohorts_[name] = event.cohort;
    touched.merge(queues_of_tree(name));
    bump(touched);
    wake(tree_with_cohort(name), now);
    if (!parent_before.empty()) {
        wake(tree_with_cohort(parent_before), now);
    }
}

void Cluster::on(const engine::CohortDeleted& event, Time now) {
    if (!cohorts_.contains(event.name)) {
        return;
    }
    const std::string parent_before = parent_of(event.name);
    std::set<std::string> touched = queues_of_tree(event.name);
    cohorts_.erase(event.name);
    touched.merge(queues_of_tree(event.name));
    bump(touched);
    wake(tree_with_cohort(event.name), now);
    if (!parent_before.empty()) {
        wake(tree_with_cohort(parent_before), now);
    }
}

void Cluster::on(const engine::ClusterQueueChanged& event, Time now) {
    const std::string& name = event.cluster_queue.name;
    const auto known = queues_.find(name);
    if (known == queues_.end()) {
        queues_[name].object = event.cluster_queue;
        bump(tree_of(name));
        for (const auto& [key, local_queue] : local_queues_) {
            if (local_queue.cluster_queue == name) {
                push_to_heaps(key);
            }
        }
        wake(tree_with_queue(name), now);
        return;
    }
    const engine::ClusterQueue before = known->second.object;
    if (before == event.cluster_queue) {
        return;
    }
    std::set<std::string> touched = tree_of(name);
    known->second.object = event.cluster_queue;
    touched.merge(tree_of(name));
    // The weight does not count, nor the order of a group's resources; that of flavors does.
    if (before.cohort != event.cluster_queue.cohort ||
        flavors_in_order(before) != flavors_in_order(event.cluster_queue) ||
        quotas_of(before) != quotas_of(event.cluster_queue)) {
        bump(touched);
    }
    wake(tree_with_queue(name), now);
    if (!before.cohort.empty()) {
        wake(tree_with_cohort(before.cohort), now);
    }
}

void Cluster::on(const engine::ClusterQueueDeleted& event, Time now) {
    if (!queues_.contains(event.name)) {
        return;
    }
    for (auto& [key, entry] : workloads_) {
        if (entry.queued_in == event.name) {
            take_out(key);
        }
    }
    const std::string cohort_before = queues_.at(event.name).object.cohort;
    std::set<std::string> touched = tree_of(event.name);
    queues_.erase(event.name);
    touched.erase(event.name);
    bump(touched);
    wake(tree_with_queue(event.name), now);
    if (!cohort_before.empty()) {
        wake(tree_with_cohort(cohort_before), now);
    }
}

void Cluster::on(const engine::LocalQueueChanged& event, Time now) {
    const engine::LocalQueue& local_queue = event.local_queue;
    const std::string key = local_queue.ns + "/" + local_queue.name;
    const auto known = local_queues_.find(key);
    std::optional<engine::LocalQueue> before;
    if (known != local_queues_.end()) {
        before = known->second;
    }
    local_queues_[key] = local_queue;
    seed_usage(key, now);
    const bool served = before && !before->stopped;
    const bool moved = before && before->cluster_queue != local_queue.cluster_queue;
    if (served && (local_queue.stopped || moved)) {
        take_out_all_of(key);
    }
    if (!local_queue.stopped && (!served || moved)) {
        push_to_heaps(key);
    }
    if (before && before->namespace_match != engine::NamespaceMatch::Matches &&
        local_queue.namespace_match == engine::NamespaceMatch::Matches) {
        wake(tree_with_queue(local_queue.cluster_queue), now);
    }
}

void Cluster::on(const engine::LocalQueueDeleted& event, Time) {
    const std::string key = event.ns + "/" + event.name;
    take_out_all_of(key);
    local_queues_.erase(key);
    accounts_.erase(key);
}

void Cluster::on(const engine::PodShapeChanged& event, Time now) {
    const auto known = shapes_.find(event.shape.id);
    std::set<std::string> flavors;
    if (known != shapes_.end()) {
        const auto& still = event.shape.refusals;
        for (const engine::ShapeRefusal& refusal : known->second.refusals) {
            const bool is_refused = std::any_of(still.begin(), still.end(), [&](const auto& other) {
                return other.flavor == refusal.flavor;
            });
            if (!is_refused) {
                flavors.insert(refusal.flavor);
            }
        }
    }
    shapes_[event.shape.id] = event.shape;
    for (const auto& [name, queue] : queues_) {
        for (const engine::ResourceGroup& group : queue.object.resource_groups) {
            for (const engine::FlavorQuotas& flavor : group.flavors) {
                if (flavors.contains(flavor.flavor)) {
                    wake(tree_with_queue(name), now);
                }
            }
        }
    }
}

void Cluster::on(const engine::PodShapeDeleted& event, Time) {
    shapes_.erase(event.id);
}

void Cluster::on(const engine::WorkloadChanged& event, Time now) {
    const std::string key = key_of(event.workload);
    const bool is_new = !workloads_.contains(key);
    Entry& entry = workloads_[key];
    if (entry.outstanding) {
        const bool holds = event.workload.reservation && !event.workload.ended;
        entry.shown = entry.shown || event.workload.reservation;
        entry.later.reset();
        if (!holds && (entry.shown || event.workload.ended)) {
            entry.later = event.workload;
            return;
        }
    }
    const engine::Workload before = entry.object;
    const engine::QuotaReservation* reservation = is_new ? nullptr : held(entry);
    const std::string held_in = reservation == nullptr ? "" : reservation->cluster_queue;
    const bool was_admitted = before.reservation && before.reservation->admitted;
    const auto used_before = charged(entry);
    entry.object = event.workload;
    if ((entry.object.reservation && !entry.object.ended) || entry.written) {
        entry.assumed.reset();
        entry.written = false;
    }
    const auto& requeue_at = entry.object.requeue_at;
    const bool same_wait = !is_new && before.requeue_at == requeue_at;
    const bool back_off_ended = entry.waits_for_time && !same_wait && *before.requeue_at <= now;
    entry.waits_for_time = requeue_at && (*requeue_at > now || (same_wait && entry.waits_for_time));
    reservation = held(entry);
    if (reservation == nullptr || reservation->evicted) {
        entry.evicting = false;
        eviction_succeeded(key);
    }
    // An update of a holder is a removal and re-adding; one that does not show our admission yet is
    // none.
    if (!held_in.empty() && !entry.assumed && queues_.contains(held_in)) {
        ++queues_.at(held_in).generation;
    }
    // The wake comes before the workload's own return, so that its class is not found parked.
    if ((!held_in.empty() && reservation == nullptr) || (!is_new && entry.object.ended)) {
        wake_for(held_in, entry.object, now);
    }
    if (!is_new && before.local_queue != entry.object.local_queue) {
        drop_penalty(before.ns + "/" + before.local_queue, key);
    }
    if (entry.object.ended && !entry.object.reservation) {
        drop_penalty(entry.object.ns + "/" + entry.object.local_queue, key);
    }
    if (!is_new && !was_admitted && reservation != nullptr && reservation->admitted) {
        settle_penalty(key, now);
    }
    push(key, is_new ? nullptr : &before, now, back_off_ended);
    const auto used_after = charged(entry);
    bool eased = !held_in.empty() && before.priority != entry.object.priority;
    for (const auto& [cell, amount] : used_before) {
        const auto now_used = used_after.find(cell);
        eased = eased || now_used == used_after.end() || now_used->second < amount;
    }
    if (eased && reservation != nullptr) {
        wake_for(held_in, entry.object, now);
    }
}

void Cluster::on(const engine::WorkloadDeleted& event, Time now) {
    const std::string key = event.ns + "/" + event.name;
    const auto known = workloads_.find(key);
    if (known == workloads_.end()) {
        return;
    }
    std::string held_in;
    if (const engine::QuotaReservation* reservation = held(known->second)) {
        held_in = reservation->cluster_queue;
        if (queues_.contains(held_in)) {
            ++queues_.at(held_in).generation;
        }
    }
    const engine::Workload deleted = known->second.object;
    take_out(key);
    drop_penalty(event.ns + "/" + deleted.local_queue, key);
    eviction_succeeded(key);
    forget(known);
    wake_for(held_in, deleted, now);
}

void Cluster::on(const engine::AdmissionWritten& event, Time now) {
    const auto known = workloads_.find(event.ns + "/" + event.name);
    if (known == workloads_.end()) {
        return;
    }
    Entry& entry = known->second;
    entry.refusals = 0;
    entry.outstanding = false;
    entry.written = entry.assumed.has_value();
    if (const auto later = std::exchange(entry.later, std::nullopt)) {
        on(engine::WorkloadChanged{*later}, now);
    }
}

void Cluster::on(const engine::AdmissionFailed& event, Time now) {
    const std::string key = event.ns + "/" + event.name;
    const auto known = workloads_.find(key);
    if (known == workloads_.end() || !known->second.assumed) {
        return;
    }
    Entry& entry = known->second;
    const std::string cluster_queue = entry.assumed->cluster_queue;
    entry.assumed.reset();
    entry.written = false;
    entry.outstanding = false;
    entry.object = entry.later.value_or(entry.object);
    entry.later.reset();
    entry.evicting = false;
    eviction_succeeded(key);  // nothing is left to evict
    if (queues_.contains(cluster_queue)) {
        ++queues_.at(cluster_queue).generation;
    }
    drop_penalty(event.ns + "/" + entry.object.local_queue, key);
    if (event.object_gone) {
        forget(known);
    } else {
        if (event.back_off) {
            const int doublings = std::min(entry.refusals, 6);
            entry.held_back_until = now + std::chrono::seconds(1 << doublings);
            entry.waits_for_refusal = true;
            ++entry.refusals;
        }
        push(key, nullptr, now);
        // To the heap, parked class or not: it failed after its nomination.
        entry.active = !entry.queued_in.empty() && is_due(entry, now);
    }
    wake(tree_with_queue(cluster_queue), now);
}

void Cluster::on(const engine::PreemptionFailed& event, Time) {
    const auto known = workloads_.find(event.ns + "/" + event.name);
    if (known != workloads_.end()) {
        known->second.evicting = false;
        eviction_failed(known->first);
    }
}

void Cluster::on(const engine::TimerFired&, Time now) {
    for (auto wake = wakes_.begin(); wake != wakes_.end();) {
        if (wake->second <= now) {
            wake_now(queues_in(wake->first), now);
            wake = wakes_.erase(wake);
        } else {
            ++wake;
        }
    }
    sample_usage(now);
    for (auto& [key, entry] : workloads_) {
        const bool time_came = entry.waits_for_time && *entry.object.requeue_at <= now;
        const bool may_repeat = entry.waits_for_refusal && *entry.held_back_until <= now;
        entry.waits_for_time = entry.waits_for_time && !time_came;
        entry.waits_for_refusal = entry.waits_for_refusal && !may_repeat;
        if ((time_came || may_repeat) && !entry.queued_in.empty() && !entry.active) {
            entry.active =
                is_due(entry, now) && !is_parked(queues_.at(entry.queued_in), entry.object);
        }
    }
}

}  // namespace sluice::reference
