#include "engine/reference.hpp"

#include <algorithm>
#include <chrono>

namespace sluice::reference {

using engine::QueueingStrategy;

const engine::QuotaReservation* Cluster::held(const Entry& entry) {
    if (entry.assumed) {
        return &*entry.assumed;
    }
    return entry.object.reservation && !entry.object.ended ? &*entry.object.reservation : nullptr;
}

bool Cluster::is_active(const Queue& queue) const {
    if (!queue.object.accepts_workloads) {
        return false;
    }
    for (const engine::ResourceGroup& group : queue.object.resource_groups) {
        for (const engine::FlavorQuotas& flavor : group.flavors) {
            if (!flavors_.contains(flavor.flavor)) {
                return false;
            }
        }
    }
    return !is_cyclic(queue.object.cohort);
}

bool Cluster::serves(const std::string& local_queue) const {
    const auto found = local_queues_.find(local_queue);
    return found != local_queues_.end() && !found->second.stopped &&
           queues_.contains(found->second.cluster_queue);
}

bool Cluster::is_due(const Entry& entry, Time now) {
    const engine::Workload& workload = entry.object;
    return !workload.requeued_false && (!workload.requeue_at || *workload.requeue_at <= now) &&
           (!entry.held_back_until || *entry.held_back_until <= now);
}

bool Cluster::is_parked(const Queue& queue, const engine::Workload& workload) const {
    const std::uint64_t scheduling_class = class_of(workload, options_);
    return queue.object.strategy == QueueingStrategy::BestEffortFIFO && scheduling_class != 0 &&
           queue.parked.contains(scheduling_class);
}

bool Cluster::goes_before(const Queue& queue, const std::string& a, const std::string& b) const {
    if (orders_by_usage(queue)) {
        const auto usage_of_queue = [&](const std::string& key) {
            const engine::Workload& workload = workloads_.at(key).object;
            return fair_usage(workload.ns + "/" + workload.local_queue);
        };
        const double usage_a = usage_of_queue(a);
        const double usage_b = usage_of_queue(b);
        if (usage_a != usage_b) {
            return usage_a < usage_b;
        }
    }
    const auto is_sticky = [&](const std::string& key) {
        return queue.preemptor && queue.preemptor->sticky && queue.preemptor->workload == key;
    };
    if (is_sticky(a) != is_sticky(b)) {
        return is_sticky(a);
    }
    const engine::Workload& x = workloads_.at(a).object;
    const engine::Workload& y = workloads_.at(b).object;
    if (x.priority != y.priority) {
        return x.priority > y.priority;
    }
    if (x.queue_order != y.queue_order) {
        return x.queue_order < y.queue_order;
    }
    return x.uid != y.uid ? x.uid < y.uid : a < b;
}

std::vector<std::string> Cluster::pending(const std::string& cluster_queue, bool active) const {
    const auto queue = queues_.find(cluster_queue);
    if (queue == queues_.end()) {
        return {};
    }
    std::vector<std::string> result;
    for (const auto& [key, entry] : workloads_) {
        if (entry.queued_in == cluster_queue && entry.active == active) {
            result.push_back(key);
        }
    }
    std::sort(result.begin(), result.end(), [&](const std::string& a, const std::string& b) {
        return goes_before(queue->second, a, b);
    });
    return result;
}

std::vector<std::string> Cluster::active(const std::string& cluster_queue) const {
    return pending(cluster_queue, true);
}

std::vector<std::string> Cluster::inadmissible(const std::string& cluster_queue) const {
    return pending(cluster_queue, false);
}

std::vector<std::string> Cluster::cluster_queue_names() const {
    std::vector<std::string> names;
    for (const auto& [name, queue] : queues_) {
        names.push_back(name);
    }
    return names;
}

std::vector<std::string> Cluster::local_queue_names() const {
    std::vector<std::string> names;
    for (const auto& [name, local_queue] : local_queues_) {
        names.push_back(name);
    }
    return names;
}

std::size_t Cluster::not_ready() const {
    std::size_t count = 0;
    for (const auto& [key, entry] : workloads_) {
        const engine::QuotaReservation* reservation = held(entry);
        const bool ready = !entry.assumed && entry.object.pods_ready;
        if (reservation != nullptr && queues_.contains(reservation->cluster_queue) && !ready) {
            ++count;
        }
    }
    return count;
}

bool Cluster::has_heads() const {
    return std::any_of(queues_.begin(), queues_.end(), [&](const auto& item) {
        return is_active(item.second) && !active(item.first).empty();
    });
}

std::optional<Cluster::Tree> Cluster::tree_with_queue(const std::string& cluster_queue) const {
    const auto found = queues_.find(cluster_queue);
    if (found == queues_.end() || found->second.object.cohort.empty()) {
        return Tree(true, cluster_queue);
    }
    return tree_with_cohort(found->second.object.cohort);
}

std::optional<Cluster::Tree> Cluster::tree_with_cohort(const std::string& cohort) const {
    return is_cyclic(cohort) ? std::nullopt : std::optional<Tree>({false, root_of(cohort)});
}

std::set<std::string> Cluster::queues_in(const Tree& tree) const {
    return tree.first ? tree_of(tree.second) : queues_of_tree(tree.second);
}

void Cluster::wake(const std::optional<Tree>& tree, Time now) {
    if (!tree) {
        return;
    }
    if (options_.wake_batch == Duration{}) {
        wakes_.erase(*tree);
        wake_now(queues_in(*tree), now);
    } else {
        wake_at(*tree, now + options_.wake_batch);
    }
}

void Cluster::wake_at(const Tree& tree, Time due) {
    const auto [at, is_new] = wakes_.emplace(tree, due);
    at->second = std::min(at->second, due);  // the first wake of a batch sets its end
}

void Cluster::wake_for(const std::string& held_in, const engine::Workload& workload, Time now) {
    const std::string local_queue = workload.ns + "/" + workload.local_queue;
    std::optional<Tree> woken;
    if (serves(local_queue)) {
        woken = tree_with_queue(local_queues_.at(local_queue).cluster_queue);
        wake(woken, now);
    }
    const auto freed = held_in.empty() ? std::nullopt : tree_with_queue(held_in);
    if (freed && freed != woken) {
        wake_at(*freed, now + std::max<Duration>(std::chrono::seconds(1), options_.wake_batch));
    }
}

void Cluster::wake_now(const std::set<std::string>& cluster_queues, Time now) {
    for (const std::string& name : cluster_queues) {
        queues_.at(name).parked.clear();
        for (const std::string& key : pending(name, false)) {
            Entry& entry = workloads_.at(key);
            const engine::LocalQueue& local_queue =
                local_queues_.at(entry.object.ns + "/" + entry.object.local_queue);
            const bool moves = local_queue.namespace_match == engine::NamespaceMatch::Matches &&
                               is_due(entry, now);
            entry.active = moves;
        }
    }
}

void Cluster::bump(const std::set<std::string>& cluster_queues) {
    for (const std::string& name : cluster_queues) {
        ++queues_.at(name).generation;
    }
}

void Cluster::take_out(const std::string& key) {
    Entry& entry = workloads_.at(key);
    if (entry.queued_in.empty()) {
        return;
    }
    const auto queue = queues_.find(entry.queued_in);
    if (queue != queues_.end()) {
        forget_preemptor(queue->second, key);
    }
    entry.queued_in.clear();
    entry.active = false;
    entry.scan.reset();
}

void Cluster::forget_preemptor(Queue& queue, const std::string& key) {
    if (queue.preemptor && queue.preemptor->workload == key) {
        queue.preemptor.reset();
        queue.preemptor_before.reset();
    }
    if (queue.preemptor_before && queue.preemptor_before->workload == key) {
        queue.preemptor_before.reset();
    }
}

void Cluster::eviction_succeeded(const std::string& victim) {
    for (auto& [name, queue] : queues_) {
        if (queue.preemptor && queue.preemptor->undecided.contains(victim)) {
            queue.preemptor->undecided.clear();
            queue.preemptor_before.reset();
        }
    }
}

void Cluster::eviction_failed(const std::string& victim) {
    for (auto& [name, queue] : queues_) {
        if (queue.preemptor && queue.preemptor->undecided.erase(victim) > 0 &&
            queue.preemptor->undecided.empty()) {
            queue.preemptor = queue.preemptor_before;
            queue.preemptor_before.reset();
        }
    }
}

void Cluster::take_out_all_of(const std::string& local_queue) {
    for (auto& [key, entry] : workloads_) {
        if (entry.object.ns + "/" + entry.object.local_queue == local_queue) {
            take_out(key);
        }
    }
}

void Cluster::push_to_heaps(const std::string& local_queue) {
    if (!serves(local_queue)) {
        return;
    }
    for (auto& [key, entry] : workloads_) {
        if (entry.object.ns + "/" + entry.object.local_queue == local_queue &&
            entry.object.queueable && held(entry) == nullptr && entry.queued_in.empty()) {
            entry.queued_in = local_queues_.at(local_queue).cluster_queue;
            entry.active = true;
        }
    }
}

namespace {

/// The changes that let a parked workload be tried again.
bool deserves_a_try(engine::Workload before, const engine::Workload& after, bool reclaimable) {
    if (!reclaimable && before.pod_sets.size() == after.pod_sets.size()) {
        for (std::size_t i = 0; i < after.pod_sets.size(); ++i) {
            before.pod_sets[i].reclaimable = after.pod_sets[i].reclaimable;
        }
    }
    return before.generation != after.generation || before.priority != after.priority ||
           before.condition_stamp != after.condition_stamp ||
           before.preemption_gated != after.preemption_gated || before.pod_sets != after.pod_sets ||
           (!before.requests_valid && after.requests_valid);  // unlike upstream, see README
}

}  // namespace

void Cluster::push(
    const std::string& key, const engine::Workload* before, Time now, bool back_off_ended
) {
    Entry& entry = workloads_.at(key);
    const std::string local_queue = entry.object.ns + "/" + entry.object.local_queue;
    const bool wanted = entry.object.queueable && held(entry) == nullptr && serves(local_queue);
    if (!wanted || (before != nullptr && before->local_queue != entry.object.local_queue)) {
        take_out(key);
    }
    if (!wanted) {
        return;
    }
    const std::string& cluster_queue = local_queues_.at(local_queue).cluster_queue;
    const Queue& queue = queues_.at(cluster_queue);
    const bool known = entry.queued_in == cluster_queue;
    if (known) {
        const bool keeps_scan =
            options_.gates.flavor_fungibility_preserve_scan_progress && entry.scan &&
            (entry.scan->scheduling_class == 0 || class_of(entry.object, options_) == 0 ||
             entry.scan->scheduling_class == class_of(entry.object, options_));
        if (!keeps_scan) {
            entry.scan.reset();
        }
        const bool stays =
            entry.active ||
            (before != nullptr && !back_off_ended &&
             !deserves_a_try(*before, entry.object, options_.gates.reclaimable_pods));
        if (stays) {
            return;
        }
    }
    entry.queued_in = cluster_queue;
    entry.active = is_due(entry, now) && !is_parked(queue, entry.object);
}

}  // namespace sluice::reference
