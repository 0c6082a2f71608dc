#include "controller/process/metrics/queue_gauges.hpp"

#include "api/kueue/kueue_names.hpp"
#include "api/meta/label_selector.hpp"
#include "controller/process/metrics/metric_numbers.hpp"
#include "controller/reconcilers/queue_status.hpp"
#include "engine/state/fair_sharing.hpp"
#include "workload/pods/amounts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

namespace sluice::controller {

namespace {

/// Returns infinity for a quota or limit that the scheduler counts as unlimited.
double quota_number(std::string_view resource, const std::optional<api::Quantity>& quota) {
    const bool is_unlimited = !quota || workload::quota_amount(resource, *quota).is_unlimited();
    return is_unlimited ? std::numeric_limits<double>::infinity() : to_number(resource, *quota);
}

double amount_number(const std::string& resource, WorkloadTally::Sum sum) {
    return to_number(resource, engine::Amount(to_amount(sum)));
}

/// Returns the pending workloads that are not parked; 0 while the two numbers are inconsistent.
double rest(std::int64_t pending, std::size_t parked) {
    return std::max(0.0, static_cast<double>(pending) - static_cast<double>(parked));
}

/// Returns the metric's own labels, followed by those of the Workload.
metrics::Labels with(metrics::Labels labels, const metrics::Labels& values) {
    labels.insert(labels.end(), values.begin(), values.end());
    return labels;
}

}  // namespace

std::vector<std::string> QueueGauges::all() const {
    std::set<std::string> names;
    for (const auto& [name, group] : cluster_queues_) {
        names.insert(name);
    }
    for (const auto& [key, queue] : parts_.stores.of<api::ClusterQueue>().all()) {
        names.insert(key.name);
    }
    for (const auto& [key, queue] : parts_.stores.of<api::LocalQueue>().all()) {
        names.insert(queue->spec.cluster_queue);
    }
    return {names.begin(), names.end()};
}

std::size_t QueueGauges::report(const std::string& cluster_queue) {
    const engine::NodeIndex node = parts_.state.find_cluster_queue(cluster_queue);
    const Waiting waiting = node.is_valid() ? count_waiting(node) : Waiting();
    Group& group = cluster_queues_[cluster_queue];
    group.begin();
    if (const auto queue = parts_.stores.of<api::ClusterQueue>().find(cluster_queue)) {
        report_counts(group, *queue, waiting);
        report_waiting(group, *queue, waiting);
        if (parts_.cluster_queue_resources) {
            report_quotas(group, *queue);
            report_amounts(group, *queue);
            report_share(group, *queue);
        }
    }
    report_workloads(group, cluster_queue);
    group.end();
    if (group.is_empty()) {
        cluster_queues_.erase(cluster_queue);  // a LocalQueue may name one that does not exist
    }
    if (parts_.local_queues) {
        for (const auto& [key, queue] : local_queues_of(parts_.stores, cluster_queue)) {
            if (has_metrics(*queue)) {
                report_local_queue(*queue, waiting);
            }
        }
    }
    if (!node.is_valid()) {
        return 0;
    }
    const engine::ClusterQueueRecord& record = parts_.state.cluster_queue(node);
    return record.pending.waiting() + record.pending.parked();
}

QueueGauges::Waiting QueueGauges::count_waiting(engine::NodeIndex node) const {
    const engine::State& state = parts_.state;
    const engine::ClusterQueueRecord& record = state.cluster_queue(node);
    Waiting waiting;
    waiting.parked = record.pending.parked();
    std::map<engine::ResourceIndex, engine::Amount> requests;
    std::set<std::uint64_t> active;
    std::set<std::uint64_t> inadmissible;
    const auto count = [&](engine::WorkloadIndex index, std::set<std::uint64_t>& classes) {
        const engine::WorkloadRecord& workload = state.workload(index);
        // 0 means that the workload has no class: it is like no other.
        if (workload.scheduling_class != 0) {
            classes.insert(workload.scheduling_class);
        }
        for (const engine::PodSetRecord& pod_set : workload.pod_sets) {
            for (const engine::Request& request : pod_set.requests) {
                requests[request.resource] += request.amount * pod_set.count_after_reclaim();
            }
        }
    };
    record.pending.for_each_waiting([&](engine::WorkloadIndex index) {
        count(index, record.active ? active : inadmissible);
    });
    record.pending.for_each_parked([&](engine::WorkloadIndex index) {
        count(index, inadmissible);
        ++waiting.parked_by_local_queue[state.workload(index).local_queue];
        if (parts_.custom.has(metrics::LabelSource::Workload)) {
            const auto found = parts_.stores.of<api::Workload>().find(
                kube::parse_namespaced_name(state.workload_key(index))
            );
            ++waiting.parked_by_labels[found ? parts_.tally.labels_of(*found) : metrics::Labels()];
        }
    });
    waiting.active_classes = active.size();
    waiting.inadmissible_classes = inadmissible.size();
    for (const auto& [resource, amount] : requests) {
        waiting.requests[state.resource_name(resource)] = amount;
    }
    return waiting;
}

/// Reports counts of workloads by queue, independent of the scheduler's state.
void QueueGauges::report_workloads(Group& group, const std::string& cluster_queue) const {
    std::map<std::pair<std::string, std::string>, std::int64_t> unadmitted;
    std::int64_t finished = 0;
    for (const auto& [key, queue] : local_queues_of(parts_.stores, cluster_queue)) {
        const auto& workloads = parts_.tally.of_local_queue(key.namespace_, key.name);
        finished += workloads.finished;
        if (!parts_.unadmitted) {
            continue;
        }
        for (const auto& [reasons, count] : workloads.unadmitted) {
            unadmitted[reasons] += count;
        }
    }
    for (const auto& [reasons, count] : unadmitted) {
        group.set(
            parts_.metrics.unadmitted_workloads,
            {cluster_queue, reasons.first, reasons.second},
            static_cast<double>(count)
        );
    }
    // A ClusterQueue that does not exist has no series without workloads.
    if (finished > 0 || parts_.stores.of<api::ClusterQueue>().find(cluster_queue) != nullptr) {
        group.set(
            parts_.metrics.finished_workloads, {cluster_queue}, static_cast<double>(finished)
        );
    }
}

void QueueGauges::report_counts(
    Group& group, const api::ClusterQueue& queue, const Waiting& waiting
) const {
    metrics::KueueMetrics& metrics = parts_.metrics;
    const std::string& name = queue.metadata.name;
    const WorkloadTally::Holders& holders = parts_.tally.of_cluster_queue(name);
    const bool is_active = parts_.translator.activity(queue).is_active;
    report_pending(group, queue, waiting);
    group.set(metrics.reserving_active_workloads, {name}, static_cast<double>(holders.reserving));
    if (!parts_.custom.has(metrics::LabelSource::Workload)) {
        group.set(metrics.admitted_active_workloads, {name}, static_cast<double>(holders.admitted));
    }
    for (const auto& [values, count] : holders.admitted_by_labels) {
        group.set(
            metrics.admitted_active_workloads, with({name}, values), static_cast<double>(count)
        );
    }
    const bool is_going = queue.metadata.deletion_timestamp.has_value();
    group.set(metrics.cluster_queue_status, {name, "active"}, is_active ? 1 : 0);
    group.set(metrics.cluster_queue_status, {name, "pending"}, !is_active && !is_going ? 1 : 0);
    group.set(metrics.cluster_queue_status, {name, "terminating"}, is_going ? 1 : 0);
}

/// Reports pending workloads. In an inactive queue, all are inadmissible.
void QueueGauges::report_pending(
    Group& group, const api::ClusterQueue& queue, const Waiting& waiting
) const {
    const std::string& name = queue.metadata.name;
    metrics::Gauge& gauge = parts_.metrics.pending_workloads;
    WorkloadTally::Counts pending;
    for (const auto& [key, local_queue] : local_queues_of(parts_.stores, name)) {
        if (local_queue->spec.stop_policy == api::stop_policy::kNone) {
            const auto& workloads = parts_.tally.of_local_queue(key.namespace_, key.name);
            for (const auto& [values, count] : workloads.queueable_by_labels) {
                pending[values] += count;
            }
        }
    }
    const bool has_workload_labels = parts_.custom.has(metrics::LabelSource::Workload);
    if (!has_workload_labels) {
        pending[{}] += 0;
    }
    const bool is_active = parts_.translator.activity(queue).is_active &&
                           parts_.state.find_cluster_queue(name).is_valid();
    for (const auto& [values, count] : pending) {
        auto parked = static_cast<std::size_t>(count);
        if (is_active) {
            const auto found = waiting.parked_by_labels.find(values);
            const std::int64_t with_labels =
                found == waiting.parked_by_labels.end() ? 0 : found->second;
            parked = has_workload_labels ? static_cast<std::size_t>(with_labels) : waiting.parked;
        }
        group.set(gauge, with({name, "active"}, values), rest(count, parked));
        group.set(gauge, with({name, "inadmissible"}, values), static_cast<double>(parked));
    }
}

void QueueGauges::report_waiting(
    Group& group, const api::ClusterQueue& queue, const Waiting& waiting
) const {
    const std::string& name = queue.metadata.name;
    if (!parts_.state.find_cluster_queue(name).is_valid()) {
        return;
    }
    if (parts_.state.options().gates.scheduling_equivalence_hashing) {
        metrics::Gauge& hashes = parts_.metrics.pending_scheduling_hashes;
        group.set(hashes, {name, "active"}, static_cast<double>(waiting.active_classes));
        group.set(
            hashes, {name, "inadmissible"}, static_cast<double>(waiting.inadmissible_classes)
        );
    }
    if (!parts_.cluster_queue_resources) {
        return;
    }
    std::map<std::string, engine::Amount> requests = waiting.requests;
    for (const auto& resources : queue.spec.resource_groups) {
        for (const std::string& resource : resources.covered_resources) {
            requests[resource];
        }
    }
    for (const auto& [resource, amount] : requests) {
        group.set(
            parts_.metrics.cluster_queue_resource_pending,
            {name, resource},
            to_number(resource, amount)
        );
    }
}

/// Reports the weighted share. It is NaN for a borrower with weight 0.
void QueueGauges::report_share(Group& group, const api::ClusterQueue& queue) const {
    const engine::NodeIndex node = parts_.state.find_cluster_queue(queue.metadata.name);
    if (!parts_.state.options().fair_sharing || !node.is_valid()) {
        return;
    }
    const double share = engine::share_of(parts_.state, node).weighted();
    group.set(
        parts_.metrics.cluster_queue_weighted_share,
        {queue.metadata.name, queue.spec.cohort_name},
        std::isinf(share) ? std::numeric_limits<double>::quiet_NaN() : share
    );
}

void QueueGauges::report_amounts(Group& group, const api::ClusterQueue& queue) const {
    const std::string& name = queue.metadata.name;
    const WorkloadTally::Holders& holders = parts_.tally.of_cluster_queue(name);
    for (const auto* amounts : {&holders.reservation, &holders.usage}) {
        metrics::Gauge& gauge = amounts == &holders.reservation
                                    ? parts_.metrics.cluster_queue_resource_reservation
                                    : parts_.metrics.cluster_queue_resource_usage;
        for (const auto& resources : queue.spec.resource_groups) {
            for (const auto& flavor : resources.flavors) {
                for (const auto& quota : flavor.resources) {
                    const auto found = amounts->find({flavor.name, quota.name});
                    group.set(
                        gauge,
                        {queue.spec.cohort_name, name, flavor.name, quota.name},
                        found == amounts->end() ? 0 : amount_number(quota.name, found->second.sum)
                    );
                }
            }
        }
    }
}

void QueueGauges::report_quotas(Group& group, const api::ClusterQueue& queue) const {
    metrics::KueueMetrics& metrics = parts_.metrics;
    for (const auto& resources : queue.spec.resource_groups) {
        for (const auto& flavor : resources.flavors) {
            for (const auto& quota : flavor.resources) {
                const metrics::Labels labels{
                    queue.spec.cohort_name, queue.metadata.name, flavor.name, quota.name
                };
                group.set(
                    metrics.cluster_queue_nominal_quota,
                    labels,
                    quota_number(quota.name, quota.nominal_quota)
                );
                group.set(
                    metrics.cluster_queue_borrowing_limit,
                    labels,
                    quota_number(quota.name, quota.borrowing_limit)
                );
                group.set(
                    metrics.cluster_queue_lending_limit,
                    labels,
                    quota_number(quota.name, quota.lending_limit)
                );
            }
        }
    }
}

void QueueGauges::report_local_queue(const api::LocalQueue& queue, const Waiting& waiting) {
    metrics::KueueMetrics& metrics = parts_.metrics;
    const std::string& ns = queue.metadata.namespace_;
    const std::string& name = queue.metadata.name;
    const auto& workloads = parts_.tally.of_local_queue(ns, name);
    const engine::LocalQueueIndex index = parts_.state.find_local_queue(ns + "/" + name);
    const auto found = index.is_valid() ? waiting.parked_by_local_queue.find(index)
                                        : waiting.parked_by_local_queue.end();
    std::size_t parked = found == waiting.parked_by_local_queue.end() ? 0 : found->second;
    const std::int64_t pending =
        queue.spec.stop_policy == api::stop_policy::kNone ? workloads.queueable : 0;
    const auto cluster_queue = parts_.stores.of<api::ClusterQueue>().find(queue.spec.cluster_queue);
    if (cluster_queue && !parts_.translator.activity(*cluster_queue).is_active) {
        parked = static_cast<std::size_t>(pending);
    }
    Group& group = local_queues_[{ns, name}];
    group.begin();
    group.set(metrics.local_queue_pending_workloads, {name, ns, "active"}, rest(pending, parked));
    group.set(
        metrics.local_queue_pending_workloads,
        {name, ns, "inadmissible"},
        static_cast<double>(parked)
    );
    const bool is_active = local_queue_activity(parts_.stores, queue).is_active;
    group.set(
        metrics.local_queue_status, {name, ns, api::condition_status::kTrue}, is_active ? 1 : 0
    );
    group.set(
        metrics.local_queue_status, {name, ns, api::condition_status::kFalse}, is_active ? 0 : 1
    );
    group.set(metrics.local_queue_status, {name, ns, api::condition_status::kUnknown}, 0);
    report_local_amounts(group, queue, workloads);
    report_fair_usage(group, queue);
    if (parts_.unadmitted) {
        for (const auto& [reasons, count] : workloads.unadmitted) {
            group.set(
                metrics.local_queue_unadmitted_workloads,
                {name, ns, queue.spec.cluster_queue, reasons.first, reasons.second},
                static_cast<double>(count)
            );
        }
    }
    group.set(
        metrics.local_queue_finished_workloads, {name, ns}, static_cast<double>(workloads.finished)
    );
    group.end();
}

/// Reports only the quota in the ClusterQueue that the LocalQueue points to, if it exists.
void QueueGauges::report_local_amounts(
    Group& group, const api::LocalQueue& queue, const WorkloadTally::OfLocalQueue& workloads
) const {
    metrics::KueueMetrics& metrics = parts_.metrics;
    const std::string& ns = queue.metadata.namespace_;
    const std::string& name = queue.metadata.name;
    static const WorkloadTally::Holders kNone;
    const auto found = workloads.holders.find(queue.spec.cluster_queue);
    const bool has =
        found != workloads.holders.end() &&
        parts_.stores.of<api::ClusterQueue>().find(queue.spec.cluster_queue) != nullptr;
    const WorkloadTally::Holders& holders = has ? found->second : kNone;
    group.set(
        metrics.local_queue_reserving_active_workloads,
        {name, ns},
        static_cast<double>(holders.reserving)
    );
    if (!parts_.custom.has(metrics::LabelSource::Workload)) {
        group.set(
            metrics.local_queue_admitted_active_workloads,
            {name, ns},
            static_cast<double>(holders.admitted)
        );
    }
    for (const auto& [values, count] : holders.admitted_by_labels) {
        group.set(
            metrics.local_queue_admitted_active_workloads,
            with({name, ns}, values),
            static_cast<double>(count)
        );
    }
    for (const auto& [of, amount] : holders.reservation) {
        group.set(
            metrics.local_queue_resource_reservation,
            {name, ns, of.first, of.second},
            amount_number(of.second, amount.sum)
        );
    }
    for (const auto& [of, amount] : holders.usage) {
        group.set(
            metrics.local_queue_resource_usage,
            {name, ns, of.first, of.second},
            amount_number(of.second, amount.sum)
        );
    }
}

void QueueGauges::report_fair_usage(Group& group, const api::LocalQueue& queue) const {
    const std::string& ns = queue.metadata.namespace_;
    const std::string& name = queue.metadata.name;
    const engine::State& state = parts_.state;
    const engine::NodeIndex node = state.find_cluster_queue(queue.spec.cluster_queue);
    const engine::LocalQueueIndex index = state.find_local_queue(ns + "/" + name);
    if (!node.is_valid() || !index.is_valid() ||
        !state.shares_admission_fairly(state.cluster_queue(node))) {
        return;
    }
    group.set(
        parts_.metrics.local_queue_admission_fair_sharing_usage,
        {name, ns, queue.spec.cluster_queue},
        state.local_queue(index).fair_usage
    );
}

void QueueGauges::remove_cluster_queue(const std::string& name) {
    cluster_queues_.erase(name);
    for (const auto& [key, queue] : local_queues_of(parts_.stores, name)) {
        // Some series of the LocalQueue name the ClusterQueue and are removed with it.
        local_queues_[{key.namespace_, key.name}].clear();
    }
    parts_.metrics.remove_cluster_queue(name);
}

void QueueGauges::remove_local_queue(const std::string& ns, const std::string& name) {
    local_queues_.erase({ns, name});
    parts_.metrics.remove_local_queue(ns, name);
}

void QueueGauges::relabel_cluster_queue(const std::string& name) {
    if (const auto found = cluster_queues_.find(name); found != cluster_queues_.end()) {
        found->second.forget();
    }
    parts_.metrics.remove_gauges_of_cluster_queue(name);
}

void QueueGauges::relabel_local_queue(const std::string& ns, const std::string& name) {
    if (const auto found = local_queues_.find({ns, name}); found != local_queues_.end()) {
        found->second.forget();
    }
    parts_.metrics.remove_gauges_of_local_queue(ns, name);
}

bool QueueGauges::has_metrics(const api::LocalQueue& queue) const {
    return parts_.local_queue_selector == nullptr ||
           api::matches(*parts_.local_queue_selector, queue.metadata.labels);
}

void QueueGauges::forget() {
    for (auto& [name, group] : cluster_queues_) {
        group.forget();
    }
    for (auto& [key, group] : local_queues_) {
        group.forget();
    }
}

}  // namespace sluice::controller
