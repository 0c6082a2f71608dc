// All metrics of queues and workloads, under Kueue's names and labels.
#pragma once

#include "metrics/registry.hpp"

#include <string>
#include <vector>

namespace sluice::metrics {

/// Every metric that the controller serves, under Kueue's names and labels, which existing
/// dashboards use; Sluice's own metrics begin with `sluice_`. A metric is one row: its type, name,
/// help and labels. `.custom` names the object whose custom labels the metric has; its gauges are
/// removed with that object.
///
/// Label values are given in the order of the row. with_workload() adds the values of CustomLabels
/// for the Workload, with_local_queue() those of the LocalQueue. `replica_role` and the custom
/// labels of queues and cohorts are added automatically.
class KueueMetrics {
    Registry& registry_;
    const CustomLabels& custom_;

    using Names = std::vector<std::string>;
    Names with_workload(Names names) const;
    Names with_local_queue(Names names) const;
    CustomSource of(LabelSource source) const { return {&custom_, source}; }

  public:
    /// `custom` must outlive the registry.
    KueueMetrics(Registry& registry, const CustomLabels& custom);

    // Scheduling cycles.
    Counter admission_attempts_total{
        registry_,
        {.name = "kueue_admission_attempts_total",
         .help = "Scheduling cycles that tried to admit workloads, by result",
         .labels = {"result"}}
    };
    Histogram admission_attempt_duration_seconds{
        registry_,
        {.name = "kueue_admission_attempt_duration_seconds",
         .help = "How long a cycle that tried to admit took",
         .labels = {"result"},
         .buckets = default_buckets()}
    };
    Gauge build_info{
        registry_,
        {.name = "kueue_build_info",
         .help = "Constant 1, labelled with what was built and how",
         .labels =
             {"git_version", "git_commit", "build_date", "go_version", "compiler", "platform"},
         .has_role = false}
    };
    Gauge admission_cycle_preemption_skips{
        registry_,
        {.name = "kueue_admission_cycle_preemption_skips",
         .help = "Workloads that had preemption targets but lost them to another queue in the last "
                 "cycle",
         .labels = {"cluster_queue"},
         .custom = of(LabelSource::ClusterQueue)}
    };
    Histogram workload_creation_latency_seconds{
        registry_,
        {.name = "kueue_workload_creation_latency_seconds",
         .help = "From the creation of a job to that of its Workload",
         .labels = with_local_queue({"job_kind"}),
         .buckets = latency_buckets()}
    };

    // By ClusterQueue.
    Gauge pending_workloads{
        registry_,
        {.name = "kueue_pending_workloads",
         .help = "Workloads that wait, by whether they may be admitted in the next cycles",
         .labels = with_workload({"cluster_queue", "status"}),
         .custom = of(LabelSource::ClusterQueue)}
    };
    Gauge pending_scheduling_hashes{
        registry_,
        {.name = "kueue_pending_scheduling_hashes",
         .help = "Distinct scheduling classes of the waiting workloads",
         .labels = {"cluster_queue", "status"},
         .custom = of(LabelSource::ClusterQueue)}
    };
    Gauge reserving_active_workloads{
        registry_,
        {.name = "kueue_reserving_active_workloads",
         .help = "Unfinished workloads that hold quota",
         .labels = {"cluster_queue"},
         .custom = of(LabelSource::ClusterQueue)}
    };
    Gauge admitted_active_workloads{
        registry_,
        {.name = "kueue_admitted_active_workloads",
         .help = "Unfinished workloads that are admitted",
         .labels = with_workload({"cluster_queue"}),
         .custom = of(LabelSource::ClusterQueue)}
    };
    Gauge finished_workloads{
        registry_,
        {.name = "kueue_finished_workloads",
         .help = "Finished workloads whose objects still exist",
         .labels = {"cluster_queue"},
         .custom = of(LabelSource::ClusterQueue)}
    };
    Counter quota_reserved_workloads_total{
        registry_,
        {.name = "kueue_quota_reserved_workloads_total",
         .help = "Quota reservations",
         .labels = {"cluster_queue", "priority_class"},
         .custom = of(LabelSource::ClusterQueue)}
    };
    Counter admitted_workloads_total{
        registry_,
        {.name = "kueue_admitted_workloads_total",
         .help = "Admissions",
         .labels = {"cluster_queue", "priority_class"},
         .custom = of(LabelSource::ClusterQueue)}
    };
    Counter finished_workloads_total{
        registry_,
        {.name = "kueue_finished_workloads_total",
         .help = "Workloads that finished",
         .labels = {"cluster_queue", "priority_class"},
         .custom = of(LabelSource::ClusterQueue)}
    };
    Counter evicted_workloads_total{
        registry_,
        {.name = "kueue_evicted_workloads_total",
         .help = "Evictions",
         .labels = {"cluster_queue", "reason", "underlying_cause", "priority_class"},
         .custom = of(LabelSource::ClusterQueue)}
    };
    Counter evicted_workloads_once_total{
        registry_,
        {.name = "kueue_evicted_workloads_once_total",
         .help = "Distinct workloads that were evicted",
         .labels = {"cluster_queue", "reason", "underlying_cause", "priority_class"},
         .custom = of(LabelSource::ClusterQueue)}
    };
    Histogram pod_scheduling_gate_removal_seconds{
        registry_,
        {.name = "kueue_pod_scheduling_gate_removal_seconds",
         .help = "From the admission of a workload to the opening of a gate of one of its pods",
         .labels = {"name", "cluster_queue", "is_group"},
         .custom = of(LabelSource::ClusterQueue),
         .buckets = default_buckets()}
    };
    Counter preemption_target_recomputations_total{
        registry_,
        {.name = "kueue_preemption_target_recomputations_total",
         .help = "Workloads whose preemption targets another workload of the cycle had taken, and "
                 "which looked for others",
         .labels = {"cluster_queue", "result"},
         .custom = of(LabelSource::ClusterQueue)}
    };
    Counter replaced_workload_slices_total{
        registry_,
        {.name = "kueue_replaced_workload_slices_total",
         .help = "Slices of elastic jobs whose place a larger one took",
         .labels = {"cluster_queue"},
         .custom = of(LabelSource::ClusterQueue)}
    };
    Counter preempted_workloads_total{
        registry_,
        {.name = "kueue_preempted_workloads_total",
         .help = "Preemptions that were issued",
         .labels = {"preempting_cluster_queue", "reason"},
         .custom = of(LabelSource::ClusterQueue)}
    };
    Histogram quota_reserved_wait_time_seconds{
        registry_,
        {.name = "kueue_quota_reserved_wait_time_seconds",
         .help = "From creation or requeue to the reservation of quota",
         .labels = {"cluster_queue", "priority_class"},
         .custom = of(LabelSource::ClusterQueue),
         .buckets = wait_buckets(14)}
    };
    Histogram admission_wait_time_seconds{
        registry_,
        {.name = "kueue_admission_wait_time_seconds",
         .help = "From creation or requeue to admission",
         .labels = {"cluster_queue", "priority_class"},
         .custom = of(LabelSource::ClusterQueue),
         .buckets = wait_buckets(16)}
    };
    Histogram admission_checks_wait_time_seconds{
        registry_,
        {.name = "kueue_admission_checks_wait_time_seconds",
         .help = "From the reservation of quota to admission",
         .labels = {"cluster_queue", "priority_class"},
         .custom = of(LabelSource::ClusterQueue),
         .buckets = wait_buckets(14)}
    };
    Histogram ready_wait_time_seconds{
        registry_,
        {.name = "kueue_ready_wait_time_seconds",
         .help = "From creation or requeue until all pods are ready",
         .labels = {"cluster_queue", "priority_class"},
         .custom = of(LabelSource::ClusterQueue),
         .buckets = wait_buckets(14)}
    };
    Histogram admitted_until_ready_wait_time_seconds{
        registry_,
        {.name = "kueue_admitted_until_ready_wait_time_seconds",
         .help = "From admission until all pods are ready",
         .labels = {"cluster_queue", "priority_class"},
         .custom = of(LabelSource::ClusterQueue),
         .buckets = wait_buckets(14)}
    };
    Histogram pods_ready_to_evicted_time_seconds{
        registry_,
        {.name = "kueue_pods_ready_to_evicted_time_seconds",
         .help = "From the readiness of all pods to an eviction",
         .labels = {"cluster_queue", "reason", "underlying_cause"},
         .custom = of(LabelSource::ClusterQueue),
         .buckets = wait_buckets(14)}
    };
    Histogram execution_time_seconds{
        registry_,
        {.name = "kueue_execution_time_seconds",
         .help = "From admission to the end",
         .labels = {"cluster_queue", "priority_class"},
         .custom = of(LabelSource::ClusterQueue),
         .buckets = wait_buckets(16)}
    };
    Histogram workload_eviction_latency_seconds{
        registry_,
        {.name = "kueue_workload_eviction_latency_seconds",
         .help = "From eviction to the release of quota",
         .labels = {"cluster_queue", "reason"},
         .custom = of(LabelSource::ClusterQueue),
         .buckets = wait_buckets(14)}
    };
    Gauge cluster_queue_status{
        registry_,
        {.name = "kueue_cluster_queue_status",
         .help = "1 for the status that the queue has, 0 for the others",
         .labels = {"cluster_queue", "status"},
         .custom = of(LabelSource::ClusterQueue)}
    };
    Gauge unadmitted_workloads{
        registry_,
        {.name = "kueue_unadmitted_workloads",
         .help = "Workloads that are not admitted, by why",
         .labels = {"cluster_queue", "reason", "underlying_cause"},
         .custom = of(LabelSource::ClusterQueue)}
    };
    Gauge cluster_queue_info{
        registry_,
        {.name = "kueue_cluster_queue_info",
         .help = "Constant 1, joins a queue with its cohorts",
         .labels = {"cluster_queue", "parent_cohort", "root_cohort"},
         .custom = of(LabelSource::ClusterQueue)}
    };
    Gauge cluster_queue_weighted_share{
        registry_,
        {.name = "kueue_cluster_queue_weighted_share",
         .help = "Worst ratio of usage above nominal quota to what is lendable, over the weight",
         .labels = {"cluster_queue", "cohort"},
         .custom = of(LabelSource::ClusterQueue)}
    };
    Gauge cluster_queue_resource_reservation{
        registry_,
        {.name = "kueue_cluster_queue_resource_reservation",
         .help = "Reserved quota",
         .labels = {"cohort", "cluster_queue", "flavor", "resource"},
         .custom = of(LabelSource::ClusterQueue)}
    };
    Gauge cluster_queue_resource_usage{
        registry_,
        {.name = "kueue_cluster_queue_resource_usage",
         .help = "Used quota of admitted workloads",
         .labels = {"cohort", "cluster_queue", "flavor", "resource"},
         .custom = of(LabelSource::ClusterQueue)}
    };
    Gauge cluster_queue_nominal_quota{
        registry_,
        {.name = "kueue_cluster_queue_nominal_quota",
         .help = "Nominal quota",
         .labels = {"cohort", "cluster_queue", "flavor", "resource"},
         .custom = of(LabelSource::ClusterQueue)}
    };
    Gauge cluster_queue_borrowing_limit{
        registry_,
        {.name = "kueue_cluster_queue_borrowing_limit",
         .help = "Borrowing limit, infinite when not set",
         .labels = {"cohort", "cluster_queue", "flavor", "resource"},
         .custom = of(LabelSource::ClusterQueue)}
    };
    Gauge cluster_queue_lending_limit{
        registry_,
        {.name = "kueue_cluster_queue_lending_limit",
         .help = "Lending limit, infinite when not set",
         .labels = {"cohort", "cluster_queue", "flavor", "resource"},
         .custom = of(LabelSource::ClusterQueue)}
    };
    Gauge cluster_queue_resource_pending{
        registry_,
        {.name = "kueue_cluster_queue_resource_pending",
         .help = "Requests of pending workloads",
         .labels = {"cluster_queue", "resource"},
         .custom = of(LabelSource::ClusterQueue)}
    };

    // By LocalQueue.
    Gauge local_queue_pending_workloads{
        registry_,
        {.name = "kueue_local_queue_pending_workloads",
         .help =
             "Workloads that wait, by whether they may be admitted in the next cycles (LocalQueue)",
         .labels = {"name", "namespace", "status"},
         .custom = of(LabelSource::LocalQueue)}
    };
    Gauge local_queue_reserving_active_workloads{
        registry_,
        {.name = "kueue_local_queue_reserving_active_workloads",
         .help = "Unfinished workloads that hold quota (LocalQueue)",
         .labels = {"name", "namespace"},
         .custom = of(LabelSource::LocalQueue)}
    };
    Gauge local_queue_admitted_active_workloads{
        registry_,
        {.name = "kueue_local_queue_admitted_active_workloads",
         .help = "Unfinished workloads that are admitted (LocalQueue)",
         .labels = with_workload({"name", "namespace"}),
         .custom = of(LabelSource::LocalQueue)}
    };
    Gauge local_queue_finished_workloads{
        registry_,
        {.name = "kueue_local_queue_finished_workloads",
         .help = "Finished workloads whose objects still exist (LocalQueue)",
         .labels = {"name", "namespace"},
         .custom = of(LabelSource::LocalQueue)}
    };
    Counter local_queue_quota_reserved_workloads_total{
        registry_,
        {.name = "kueue_local_queue_quota_reserved_workloads_total",
         .help = "Quota reservations (LocalQueue)",
         .labels = {"name", "namespace", "priority_class"},
         .custom = of(LabelSource::LocalQueue)}
    };
    Counter local_queue_admitted_workloads_total{
        registry_,
        {.name = "kueue_local_queue_admitted_workloads_total",
         .help = "Admissions (LocalQueue)",
         .labels = with_workload({"name", "namespace", "priority_class"}),
         .custom = of(LabelSource::LocalQueue)}
    };
    Counter local_queue_finished_workloads_total{
        registry_,
        {.name = "kueue_local_queue_finished_workloads_total",
         .help = "Workloads that finished (LocalQueue)",
         .labels = {"name", "namespace", "priority_class"},
         .custom = of(LabelSource::LocalQueue)}
    };
    Counter local_queue_evicted_workloads_total{
        registry_,
        {.name = "kueue_local_queue_evicted_workloads_total",
         .help = "Evictions (LocalQueue)",
         .labels = {"name", "namespace", "reason", "underlying_cause", "priority_class"},
         .custom = of(LabelSource::LocalQueue)}
    };
    Histogram local_queue_quota_reserved_wait_time_seconds{
        registry_,
        {.name = "kueue_local_queue_quota_reserved_wait_time_seconds",
         .help = "From creation or requeue to the reservation of quota (LocalQueue)",
         .labels = {"name", "namespace", "priority_class"},
         .custom = of(LabelSource::LocalQueue),
         .buckets = wait_buckets(14)}
    };
    Histogram local_queue_admission_wait_time_seconds{
        registry_,
        {.name = "kueue_local_queue_admission_wait_time_seconds",
         .help = "From creation or requeue to admission (LocalQueue)",
         .labels = with_workload({"name", "namespace", "priority_class"}),
         .custom = of(LabelSource::LocalQueue),
         .buckets = wait_buckets(14)}
    };
    Histogram local_queue_admission_checks_wait_time_seconds{
        registry_,
        {.name = "kueue_local_queue_admission_checks_wait_time_seconds",
         .help = "From the reservation of quota to admission (LocalQueue)",
         .labels = {"name", "namespace", "priority_class"},
         .custom = of(LabelSource::LocalQueue),
         .buckets = wait_buckets(14)}
    };
    Histogram local_queue_ready_wait_time_seconds{
        registry_,
        {.name = "kueue_local_queue_ready_wait_time_seconds",
         .help = "From creation or requeue until all pods are ready (LocalQueue)",
         .labels = {"name", "namespace", "priority_class"},
         .custom = of(LabelSource::LocalQueue),
         .buckets = wait_buckets(14)}
    };
    Histogram local_queue_admitted_until_ready_wait_time_seconds{
        registry_,
        {.name = "kueue_local_queue_admitted_until_ready_wait_time_seconds",
         .help = "From admission until all pods are ready (LocalQueue)",
         .labels = {"name", "namespace", "priority_class"},
         .custom = of(LabelSource::LocalQueue),
         .buckets = wait_buckets(14)}
    };
    Histogram local_queue_execution_time_seconds{
        registry_,
        {.name = "kueue_local_queue_execution_time_seconds",
         .help = "From admission to the end (LocalQueue)",
         .labels = {"name", "namespace", "priority_class"},
         .custom = of(LabelSource::LocalQueue),
         .buckets = wait_buckets(16)}
    };
    Gauge local_queue_status{
        registry_,
        {.name = "kueue_local_queue_status",
         .help = "1 for the status that the queue has, 0 for the others (LocalQueue)",
         .labels = {"name", "namespace", "active"},
         .custom = of(LabelSource::LocalQueue)}
    };
    Gauge local_queue_unadmitted_workloads{
        registry_,
        {.name = "kueue_local_queue_unadmitted_workloads",
         .help = "Workloads that are not admitted, by why (LocalQueue)",
         .labels = {"name", "namespace", "cluster_queue", "reason", "underlying_cause"},
         .custom = of(LabelSource::LocalQueue)}
    };
    Gauge local_queue_resource_reservation{
        registry_,
        {.name = "kueue_local_queue_resource_reservation",
         .help = "Reserved quota (LocalQueue)",
         .labels = {"name", "namespace", "flavor", "resource"},
         .custom = of(LabelSource::LocalQueue)}
    };
    Gauge local_queue_resource_usage{
        registry_,
        {.name = "kueue_local_queue_resource_usage",
         .help = "Used quota of admitted workloads (LocalQueue)",
         .labels = {"name", "namespace", "flavor", "resource"},
         .custom = of(LabelSource::LocalQueue)}
    };
    Gauge local_queue_admission_fair_sharing_usage{
        registry_,
        {.name = "kueue_local_queue_admission_fair_sharing_usage",
         .help = "Usage that decides on the order of admission (LocalQueue)",
         .labels = {"name", "namespace", "cluster_queue"},
         .custom = of(LabelSource::LocalQueue)}
    };

    // By cohort.
    Gauge cohort_weighted_share{
        registry_,
        {.name = "kueue_cohort_weighted_share",
         .help = "Worst ratio of usage above nominal quota to what is lendable, over the weight",
         .labels = {"cohort"},
         .custom = of(LabelSource::Cohort)}
    };
    Gauge cohort_subtree_quota{
        registry_,
        {.name = "kueue_cohort_subtree_quota",
         .help = "Quota of the cohort and all below it",
         .labels = {"cohort", "flavor", "resource"},
         .custom = of(LabelSource::Cohort)}
    };
    Gauge cohort_subtree_resource_reservations{
        registry_,
        {.name = "kueue_cohort_subtree_resource_reservations",
         .help = "Reserved quota in the cohort and all below it",
         .labels = {"cohort", "flavor", "resource"},
         .custom = of(LabelSource::Cohort)}
    };
    Counter cohort_subtree_admitted_workloads_total{
        registry_,
        {.name = "kueue_cohort_subtree_admitted_workloads_total",
         .help = "Admissions in the cohort and all below it",
         .labels = {"cohort", "priority_class"},
         .custom = of(LabelSource::Cohort)}
    };
    Gauge cohort_subtree_admitted_active_workloads{
        registry_,
        {.name = "kueue_cohort_subtree_admitted_active_workloads",
         .help = "Unfinished admitted workloads in the cohort and all below it",
         .labels = {"cohort"},
         .custom = of(LabelSource::Cohort)}
    };
    Gauge cohort_info{
        registry_,
        {.name = "kueue_cohort_info",
         .help = "Constant 1, joins a cohort with those above it",
         .labels = {"cohort", "parent_cohort", "root_cohort"},
         .custom = of(LabelSource::Cohort)}
    };

    // Metrics that Kueue does not have.
    Gauge audit_findings{
        registry_,
        {.name = "sluice_audit_findings",
         .help = "Inconsistencies that the last audit of the scheduler's state found; above 0 "
                 "nothing is admitted under that root",
         .labels = {"root"}}
    };
    Gauge capacity{
        registry_,
        {.name = "sluice_capacity",
         .help = "Amount of a resource in a flavor: the quota of all queues, allocatable of its "
                 "nodes, of this what is usable, and of that what pods outside quota request",
         .labels = {"flavor", "resource", "kind"}}
    };

    /// Removes all series of a deleted ClusterQueue.
    void remove_cluster_queue(const std::string& name);
    /// Removes all series of a deleted LocalQueue. LocalQueues with the same name in other
    /// namespaces keep theirs.
    void remove_local_queue(const std::string& ns, const std::string& name);
    /// Removes all series of a cohort that no longer exists.
    void remove_cohort(const std::string& name);

    /// These functions remove only the gauges, before the values of the object's custom labels
    /// change.
    void remove_gauges_of_cluster_queue(const std::string& name);
    void remove_gauges_of_local_queue(const std::string& ns, const std::string& name);
    void remove_gauges_of_cohort(const std::string& name);
};

}  // namespace sluice::metrics
