#include "controller/process/metrics_reporter.hpp"

#include "controller/reconcilers/queue_status.hpp"
#include "controller/reconcilers/workload_status.hpp"
#include "workload/amounts.hpp"

#include <chrono>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

namespace sluice::controller {

namespace {

double seconds(Duration duration) {
    return std::chrono::duration<double>(duration).count();
}

double as_number(std::string_view resource, const api::Quantity& quantity) {
    return resource == "cpu" ? quantity.as_double() : static_cast<double>(quantity.value());
}

double limit_number(std::string_view resource, const std::optional<api::Quantity>& limit) {
    return limit ? as_number(resource, *limit) : std::numeric_limits<double>::infinity();
}

double amount_number(std::string_view resource, std::int64_t amount) {
    return resource == "cpu" ? static_cast<double>(amount) / 1000.0 : static_cast<double>(amount);
}

/// Why a workload is not admitted: the reason of Admitted=False and that of QuotaReserved=False.
std::pair<std::string, std::string> unadmitted_reasons(const api::Workload& workload) {
    const api::Condition* admitted = find_condition(workload, "Admitted");
    const api::Condition* reserved = find_condition(workload, "QuotaReserved");
    const bool has_reservation = reserved != nullptr && reserved->status == "True";
    std::string cause;
    if (!has_reservation) {
        cause = reserved == nullptr ? "PendingEvaluation" : reserved->reason;
    }
    return {admitted == nullptr ? "NoReservation" : admitted->reason, cause};
}

}  // namespace

MetricsReporter::MetricsReporter(const Parts& parts) : parts_(parts), metrics_(registry_) {
    registry_.on_print([this] { report_gauges(); });
    metrics_.build_info.set({"v0.1.0", "", "", "", "clang", ""}, 1);
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
            break;
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

void MetricsReporter::report_gauges() {
    metrics_.audit_findings.clear();
    for (const auto& [root, count] : audit_findings_) {
        metrics_.audit_findings.set({root}, count);
    }
    for (const auto& [key, queue] : parts_.stores.cluster_queues.all()) {
        report_cluster_queue(*queue);
        if (parts_.cluster_queue_resources) {
            report_quotas(*queue);
        }
    }
    using Reasons = std::tuple<std::string, std::string, std::string>;
    std::map<Reasons, double> unadmitted;
    std::map<std::string, double> finished;
    for (const auto& [key, workload] : parts_.stores.workloads.all()) {
        const auto queue =
            parts_.stores.local_queues.find(key.namespace_, workload->spec.queue_name);
        if (!queue) {
            continue;
        }
        if (is_finished(*workload)) {
            finished[queue->spec.cluster_queue] += 1;
        } else if (!is_admitted(*workload)) {
            const auto [reason, cause] = unadmitted_reasons(*workload);
            unadmitted[{queue->spec.cluster_queue, reason, cause}] += 1;
        }
    }
    metrics_.unadmitted_workloads.clear();
    for (const auto& [labels, count] : unadmitted) {
        metrics_.unadmitted_workloads.set(
            {std::get<0>(labels), std::get<1>(labels), std::get<2>(labels)}, count
        );
    }
    metrics_.finished_workloads.clear();
    for (const auto& [queue, count] : finished) {
        metrics_.finished_workloads.set({queue}, count);
    }
    if (parts_.local_queues) {
        for (const auto& [key, queue] : parts_.stores.local_queues.all()) {
            report_local_queue(*queue);
        }
    }
}

void MetricsReporter::report_cluster_queue(const api::ClusterQueue& queue) {
    const std::string& name = queue.metadata.name;
    const QueueUsage usage = cluster_queue_usage(parts_.stores, queue);
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
    if (!parts_.cluster_queue_resources) {
        return;
    }
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
                        amount_number(quota.name, amount)
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
                    labels, as_number(quota.name, quota.nominal_quota)
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
    const QueueUsage usage = local_queue_usage(parts_.stores, queue);
    double parked = 0;
    for (const auto& [key, workload] : parts_.stores.workloads_of_queue(ns, name)) {
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
    metrics_.local_queue_status.set({name, ns, "True"}, is_active ? 1 : 0);
    metrics_.local_queue_status.set({name, ns, "False"}, is_active ? 0 : 1);
    metrics_.local_queue_status.set({name, ns, "Unknown"}, 0);
    for (const auto& [flavor, resources] : usage.reservation) {
        for (const auto& [resource, amount] : resources) {
            metrics_.local_queue_resource_reservation.set(
                {name, ns, flavor, resource}, amount_number(resource, amount)
            );
        }
    }
    for (const auto& [flavor, resources] : usage.usage) {
        for (const auto& [resource, amount] : resources) {
            metrics_.local_queue_resource_usage.set(
                {name, ns, flavor, resource}, amount_number(resource, amount)
            );
        }
    }
}

}  // namespace sluice::controller
