#include "controller/process/metrics_reporter.hpp"

#include "api/kueue_names.hpp"
#include "base/version.hpp"
#include "controller/process/metric_numbers.hpp"
#include "controller/reconcilers/queue_status.hpp"
#include "controller/reconcilers/workload_status.hpp"
#include "engine/fair_sharing.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

namespace sluice::controller {

namespace {

double seconds(Duration duration) {
    return std::chrono::duration<double>(duration).count();
}

double limit_number(std::string_view resource, const std::optional<api::Quantity>& limit) {
    return limit ? to_number(resource, *limit) : std::numeric_limits<double>::infinity();
}

/// Adds what the pending workloads request.
void add_requests(
    const engine::State& state,
    const std::vector<engine::WorkloadIndex>& workloads,
    std::map<std::string, engine::Amount>& sums
) {
    for (const engine::WorkloadIndex index : workloads) {
        for (const engine::PodSetRecord& pod_set : state.workload(index).pod_sets) {
            for (const engine::Request& request : pod_set.requests) {
                sums[state.resource_name(request.resource)] +=
                    request.amount * pod_set.count_after_reclaim();
            }
        }
    }
}

/// The kinds of workloads as the scheduler tells them apart; 0 is none.
void add_classes(
    const engine::State& state,
    const std::vector<engine::WorkloadIndex>& workloads,
    std::set<std::uint64_t>& classes
) {
    for (const engine::WorkloadIndex index : workloads) {
        if (const auto scheduling_class = state.workload(index).scheduling_class) {
            classes.insert(scheduling_class);
        }
    }
}

/// Why a workload is not admitted: the reason of Admitted=False and that of QuotaReserved=False.
std::pair<std::string, std::string> unadmitted_reasons(const api::Workload& workload) {
    const api::Condition* admitted = find_condition(workload, api::condition::kAdmitted);
    const api::Condition* reserved = find_condition(workload, api::condition::kQuotaReserved);
    const bool has_reservation =
        reserved != nullptr && reserved->status == api::condition_status::kTrue;
    std::string cause;
    if (!has_reservation) {
        cause = reserved == nullptr ? api::reason::kPendingEvaluation : reserved->reason;
    }
    return {admitted == nullptr ? api::reason::kNoReservation : admitted->reason, cause};
}

}  // namespace

MetricsReporter::MetricsReporter(const Parts& parts)
    : parts_(parts), metrics_(registry_), runtime_(registry_), cohorts_(parts.state, metrics_) {
    registry_.on_print([this] { report_gauges(); });
    if (parts_.work) {
        registry_.on_print([this] { report_work(); });
    }
    metrics_.build_info.set({"v" + std::string(version()), "", "", "", "clang", ""}, 1);
}

void MetricsReporter::set_role(const std::string& role) {
    registry_.set_role(role);
    if (!parts_.lease.empty()) {
        runtime_.leader_election_master_status.set({parts_.lease}, role == "leader" ? 1 : 0);
    }
}

void MetricsReporter::observe(const Observation& o) {
    const metrics::Labels by_class{o.cluster_queue, o.priority_class};
    switch (o.kind) {
        case Observation::Kind::QuotaReserved:
            metrics_.quota_reserved_workloads_total.add(by_class);
            metrics_.quota_reserved_wait_time_seconds.observe(by_class, seconds(o.since_queued));
            break;
        case Observation::Kind::Admitted:
            metrics_.admitted_workloads_total.add(by_class);
            metrics_.admission_wait_time_seconds.observe(by_class, seconds(o.since_queued));
            metrics_.admission_checks_wait_time_seconds.observe(
                by_class, seconds(o.since_reserved)
            );
            if (parts_.cohorts) {
                cohorts_.count_admission(o.cluster_queue, o.priority_class);
            }
            break;
        case Observation::Kind::Released:
            metrics_.workload_eviction_latency_seconds.observe(
                {o.cluster_queue, o.reason}, seconds(o.since_evicted)
            );
            return;
        case Observation::Kind::Evicted: {
            const metrics::Labels labels{
                o.cluster_queue, o.reason, o.underlying_cause, o.priority_class
            };
            metrics_.evicted_workloads_total.add(labels);
            if (o.first_time) {
                metrics_.evicted_workloads_once_total.add(labels);
            }
            break;
        }
        case Observation::Kind::Preempted:
            metrics_.preempted_workloads_total.add({o.cluster_queue, o.reason});
            return;
        case Observation::Kind::Finished:
            metrics_.finished_workloads_total.add(by_class);
            if (o.since_admitted > Duration::zero()) {
                metrics_.execution_time_seconds.observe(by_class, seconds(o.since_admitted));
            }
            break;
        case Observation::Kind::WorkloadCreated:
            metrics_.workload_creation_latency_seconds.observe({o.reason}, seconds(o.since_queued));
            return;
    }
    if (parts_.local_queues) {
        observe_local_queue(o);
    }
}

void MetricsReporter::observe_local_queue(const Observation& o) {
    const metrics::Labels by_class{o.local_queue, o.ns, o.priority_class};
    switch (o.kind) {
        case Observation::Kind::QuotaReserved:
            metrics_.local_queue_quota_reserved_workloads_total.add(by_class);
            metrics_.local_queue_quota_reserved_wait_time_seconds.observe(
                by_class, seconds(o.since_queued)
            );
            break;
        case Observation::Kind::Admitted:
            metrics_.local_queue_admitted_workloads_total.add(by_class);
            metrics_.local_queue_admission_wait_time_seconds.observe(
                by_class, seconds(o.since_queued)
            );
            metrics_.local_queue_admission_checks_wait_time_seconds.observe(
                by_class, seconds(o.since_reserved)
            );
            break;
        case Observation::Kind::Evicted:
            metrics_.local_queue_evicted_workloads_total.add(
                {o.local_queue, o.ns, o.reason, o.underlying_cause, o.priority_class}
            );
            break;
        case Observation::Kind::Finished:
            metrics_.local_queue_finished_workloads_total.add(by_class);
            if (o.since_admitted > Duration::zero()) {
                metrics_.local_queue_execution_time_seconds.observe(
                    by_class, seconds(o.since_admitted)
                );
            }
            break;
        case Observation::Kind::Preempted:
        case Observation::Kind::Released:
        case Observation::Kind::WorkloadCreated:
            break;
    }
}

void MetricsReporter::observe_cycle(const engine::CycleResult& result, Duration took) {
    const std::string outcome = result.admitted.empty() ? "inadmissible" : "success";
    metrics_.admission_attempts_total.add({outcome});
    metrics_.admission_attempt_duration_seconds.observe({outcome}, seconds(took));
}

void MetricsReporter::observe_audit(const std::vector<engine::AuditFinding>& findings) {
    audit_findings_.clear();
    for (const engine::AuditFinding& finding : findings) {
        audit_findings_[parts_.state.node_name(finding.root)] += 1;
    }
}

void MetricsReporter::observe_request(
    const std::string& host, const std::string& method, int status
) {
    const std::string code = status == 0 ? "<error>" : std::to_string(status);
    runtime_.rest_client_requests_total.add({code, host, method});
}

void MetricsReporter::report_work() {
    const auto raise = [](metrics::Counter& counter, const metrics::Labels& labels, auto value) {
        counter.add(labels, static_cast<double>(value) - counter.value(labels));
    };
    for (const auto& [name, work] : parts_.work()) {
        const metrics::Labels labels{name, name};
        runtime_.workqueue_depth.set(labels, static_cast<double>(work.waiting));
        raise(runtime_.workqueue_adds_total, labels, work.taken + work.waiting);
        raise(runtime_.workqueue_retries_total, labels, work.failed);
        auto& total = runtime_.controller_runtime_reconcile_total;
        raise(total, {name, "success"}, work.succeeded);
        raise(total, {name, "requeue_after"}, work.postponed);
        raise(total, {name, "error"}, work.failed);
        raise(runtime_.controller_runtime_reconcile_errors_total, {name}, work.failed);
    }
}

void MetricsReporter::report_gauges() {
    metrics_.audit_findings.clear();
    for (const auto& [root, count] : audit_findings_) {
        metrics_.audit_findings.set({root}, count);
    }
    // What a queue no longer has must not stay: a flavor, a quota, another cohort.
    for (metrics::Gauge* gauge :
         {&metrics_.cluster_queue_resource_reservation,
          &metrics_.cluster_queue_resource_usage,
          &metrics_.cluster_queue_nominal_quota,
          &metrics_.cluster_queue_borrowing_limit,
          &metrics_.cluster_queue_lending_limit,
          &metrics_.cluster_queue_resource_pending,
          &metrics_.cluster_queue_weighted_share,
          &metrics_.local_queue_resource_reservation,
          &metrics_.local_queue_resource_usage}) {
        gauge->clear();
    }
    std::map<std::string, std::int32_t> admitted;
    for (const auto& [key, queue] : parts_.stores.of<api::ClusterQueue>().all()) {
        const QueueUsage usage =
            cluster_queue_usage(parts_.stores, *queue, parts_.translator.settings().gates);
        admitted[key.name] = usage.admitted;
        report_cluster_queue(*queue, usage);
        report_pending(*queue);
        if (parts_.cluster_queue_resources) {
            report_quotas(*queue);
            report_amounts(*queue, usage);
            report_share(*queue);
        }
    }
    if (parts_.cohorts) {
        cohorts_.report(admitted);
    }
    report_workloads();
    if (parts_.local_queues) {
        for (const auto& [key, queue] : parts_.stores.of<api::LocalQueue>().all()) {
            report_local_queue(*queue);
        }
    }
}

/// Counts of workloads by queue, whatever the scheduler knows of them.
void MetricsReporter::report_workloads() {
    std::map<metrics::Labels, double> unadmitted;
    std::map<metrics::Labels, double> unadmitted_locally;
    std::map<metrics::Labels, double> finished;
    std::map<metrics::Labels, double> finished_locally;
    for (const auto& [key, workload] : parts_.stores.of<api::Workload>().all()) {
        const std::string& name = workload->spec.queue_name;
        const auto queue = parts_.stores.of<api::LocalQueue>().find(key.namespace_, name);
        if (!queue) {
            continue;
        }
        const std::string& cluster_queue = queue->spec.cluster_queue;
        if (is_finished(*workload)) {
            finished[{cluster_queue}] += 1;
            finished_locally[{name, key.namespace_}] += 1;
        } else if (!is_admitted(*workload)) {
            const auto [reason, cause] = unadmitted_reasons(*workload);
            unadmitted[{cluster_queue, reason, cause}] += 1;
            unadmitted_locally[{name, key.namespace_, cluster_queue, reason, cause}] += 1;
        }
    }
    const auto set_all = [](metrics::Gauge& gauge, const std::map<metrics::Labels, double>& all) {
        gauge.clear();
        for (const auto& [labels, count] : all) {
            gauge.set(labels, count);
        }
    };
    set_all(metrics_.unadmitted_workloads, unadmitted);
    set_all(metrics_.finished_workloads, finished);
    if (parts_.local_queues) {
        set_all(metrics_.local_queue_unadmitted_workloads, unadmitted_locally);
        set_all(metrics_.local_queue_finished_workloads, finished_locally);
    }
}

void MetricsReporter::report_cluster_queue(
    const api::ClusterQueue& queue, const QueueUsage& usage
) {
    const std::string& name = queue.metadata.name;
    const bool is_active = parts_.translator.activity(queue).is_active;
    double parked = usage.pending;
    const engine::NodeIndex node = parts_.state.find_cluster_queue(name);
    if (is_active && node.is_valid()) {
        parked = static_cast<double>(parts_.state.cluster_queue(node).inadmissible.size());
    }
    metrics_.pending_workloads.set({name, "active"}, std::max(0.0, usage.pending - parked));
    metrics_.pending_workloads.set({name, "inadmissible"}, parked);
    metrics_.reserving_active_workloads.set({name}, usage.reserving);
    metrics_.admitted_active_workloads.set({name}, usage.admitted);
    const bool is_going = queue.metadata.deletion_timestamp.has_value();
    metrics_.cluster_queue_status.set({name, "active"}, is_active ? 1 : 0);
    metrics_.cluster_queue_status.set({name, "pending"}, !is_active && !is_going ? 1 : 0);
    metrics_.cluster_queue_status.set({name, "terminating"}, is_going ? 1 : 0);
}

void MetricsReporter::report_pending(const api::ClusterQueue& queue) {
    const std::string& name = queue.metadata.name;
    const engine::NodeIndex node = parts_.state.find_cluster_queue(name);
    if (!node.is_valid()) {
        return;
    }
    const engine::ClusterQueueRecord& record = parts_.state.cluster_queue(node);
    if (parts_.state.options().gates.scheduling_equivalence_hashing) {
        std::set<std::uint64_t> active;
        std::set<std::uint64_t> inadmissible;
        add_classes(parts_.state, record.heap, record.active ? active : inadmissible);
        add_classes(parts_.state, record.inadmissible, inadmissible);
        metrics_.pending_scheduling_hashes.set(
            {name, "active"}, static_cast<double>(active.size())
        );
        metrics_.pending_scheduling_hashes.set(
            {name, "inadmissible"}, static_cast<double>(inadmissible.size())
        );
    }
    if (!parts_.cluster_queue_resources) {
        return;
    }
    std::map<std::string, engine::Amount> sums;
    for (const auto& group : queue.spec.resource_groups) {
        for (const std::string& resource : group.covered_resources) {
            sums[resource];
        }
    }
    add_requests(parts_.state, record.heap, sums);
    add_requests(parts_.state, record.inadmissible, sums);
    for (const auto& [resource, amount] : sums) {
        metrics_.cluster_queue_resource_pending.set({name, resource}, to_number(resource, amount));
    }
}

/// Of a borrower without weight the share is no number.
void MetricsReporter::report_share(const api::ClusterQueue& queue) {
    const engine::NodeIndex node = parts_.state.find_cluster_queue(queue.metadata.name);
    if (!parts_.state.options().fair_sharing || !node.is_valid()) {
        return;
    }
    const double share = engine::share_of(parts_.state, node).weighted();
    metrics_.cluster_queue_weighted_share.set(
        {queue.metadata.name, queue.spec.cohort_name},
        std::isinf(share) ? std::numeric_limits<double>::quiet_NaN() : share
    );
}

void MetricsReporter::report_amounts(const api::ClusterQueue& queue, const QueueUsage& usage) {
    const std::string& name = queue.metadata.name;
    for (const auto* amounts : {&usage.reservation, &usage.usage}) {
        metrics::Gauge& gauge = amounts == &usage.reservation
                                    ? metrics_.cluster_queue_resource_reservation
                                    : metrics_.cluster_queue_resource_usage;
        for (const auto& group : queue.spec.resource_groups) {
            for (const auto& flavor : group.flavors) {
                for (const auto& quota : flavor.resources) {
                    const auto found = amounts->find(flavor.name);
                    const bool has = found != amounts->end() && found->second.contains(quota.name);
                    const std::int64_t amount = has ? found->second.at(quota.name) : 0;
                    gauge.set(
                        {queue.spec.cohort_name, name, flavor.name, quota.name},
                        to_number(quota.name, engine::Amount(amount))
                    );
                }
            }
        }
    }
}

void MetricsReporter::report_quotas(const api::ClusterQueue& queue) {
    for (const auto& group : queue.spec.resource_groups) {
        for (const auto& flavor : group.flavors) {
            for (const auto& quota : flavor.resources) {
                const metrics::Labels labels{
                    queue.spec.cohort_name, queue.metadata.name, flavor.name, quota.name
                };
                metrics_.cluster_queue_nominal_quota.set(
                    labels, to_number(quota.name, quota.nominal_quota)
                );
                metrics_.cluster_queue_borrowing_limit.set(
                    labels, limit_number(quota.name, quota.borrowing_limit)
                );
                metrics_.cluster_queue_lending_limit.set(
                    labels, limit_number(quota.name, quota.lending_limit)
                );
            }
        }
    }
}

void MetricsReporter::report_local_queue(const api::LocalQueue& queue) {
    const std::string& ns = queue.metadata.namespace_;
    const std::string& name = queue.metadata.name;
    const QueueUsage usage =
        local_queue_usage(parts_.stores, queue, parts_.translator.settings().gates);
    double parked = 0;
    for (const auto& [key, workload] : workloads_of_queue(parts_.stores, ns, name)) {
        const engine::WorkloadIndex index = parts_.state.find_workload(ns + "/" + key.name);
        if (index.is_valid() &&
            parts_.state.workload(index).bucket == engine::Bucket::Inadmissible) {
            parked += 1;
        }
    }
    metrics_.local_queue_pending_workloads.set(
        {name, ns, "active"}, std::max(0.0, usage.pending - parked)
    );
    metrics_.local_queue_pending_workloads.set({name, ns, "inadmissible"}, parked);
    metrics_.local_queue_reserving_active_workloads.set({name, ns}, usage.reserving);
    metrics_.local_queue_admitted_active_workloads.set({name, ns}, usage.admitted);
    const bool is_active = local_queue_activity(parts_.stores, queue).is_active;
    metrics_.local_queue_status.set({name, ns, api::condition_status::kTrue}, is_active ? 1 : 0);
    metrics_.local_queue_status.set({name, ns, api::condition_status::kFalse}, is_active ? 0 : 1);
    metrics_.local_queue_status.set({name, ns, api::condition_status::kUnknown}, 0);
    for (const auto& [flavor, resources] : usage.reservation) {
        for (const auto& [resource, amount] : resources) {
            metrics_.local_queue_resource_reservation.set(
                {name, ns, flavor, resource}, to_number(resource, engine::Amount(amount))
            );
        }
    }
    for (const auto& [flavor, resources] : usage.usage) {
        for (const auto& [resource, amount] : resources) {
            metrics_.local_queue_resource_usage.set(
                {name, ns, flavor, resource}, to_number(resource, engine::Amount(amount))
            );
        }
    }
}

}  // namespace sluice::controller
