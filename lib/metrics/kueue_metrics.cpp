#include "metrics/kueue_metrics.hpp"

#include <algorithm>
#include <iterator>

namespace sluice::metrics {

namespace {

using Names = std::vector<std::string>;

/// Labels of a metric with those made of Workloads, whose values are given with the others.
Names with_workload(Names names, const CustomLabels& custom) {
    std::ranges::copy(custom.names(LabelSource::Workload), std::back_inserter(names));
    return names;
}

/// The same with those made of LocalQueues.
Names with_local_queue(Names names, const CustomLabels& custom) {
    std::ranges::copy(custom.names(LabelSource::LocalQueue), std::back_inserter(names));
    return names;
}

}  // namespace

KueueMetrics::KueueMetrics(Registry& registry, const CustomLabels& custom)
    : registry_(registry),
      admission_attempts_total(
          registry,
          {.name = "kueue_admission_attempts_total",
           .help = "Scheduling cycles that tried to admit workloads, by result",
           .labels = {"result"}}
      ),
      admission_attempt_duration_seconds(
          registry,
          {.name = "kueue_admission_attempt_duration_seconds",
           .help = "How long a cycle that tried to admit took",
           .labels = {"result"},
           .buckets = default_buckets()}
      ),
      build_info(
          registry,
          {.name = "kueue_build_info",
           .help = "Constant 1, labelled with what was built and how",
           .labels =
               {"git_version", "git_commit", "build_date", "go_version", "compiler", "platform"},
           .has_role = false}
      ),
      admission_cycle_preemption_skips(
          registry,
          {.name = "kueue_admission_cycle_preemption_skips",
           .help = "Workloads that had preemption targets but lost them to another queue in the "
                   "last cycle",
           .labels = {"cluster_queue"},
           .custom = {&custom, LabelSource::ClusterQueue}}
      ),
      workload_creation_latency_seconds(
          registry,
          {.name = "kueue_workload_creation_latency_seconds",
           .help = "From the creation of a job to that of its Workload",
           .labels = with_local_queue({"job_kind"}, custom),
           .buckets = latency_buckets()}
      ),
      pending_workloads(
          registry,
          {.name = "kueue_pending_workloads",
           .help = "Workloads that wait, by whether they may be admitted in the next cycles",
           .labels = with_workload({"cluster_queue", "status"}, custom),
           .custom = {&custom, LabelSource::ClusterQueue}}
      ),
      pending_scheduling_hashes(
          registry,
          {.name = "kueue_pending_scheduling_hashes",
           .help = "Distinct kinds of waiting workloads as the scheduler tells them apart",
           .labels = {"cluster_queue", "status"},
           .custom = {&custom, LabelSource::ClusterQueue}}
      ),
      reserving_active_workloads(
          registry,
          {.name = "kueue_reserving_active_workloads",
           .help = "Unfinished workloads that hold quota",
           .labels = {"cluster_queue"},
           .custom = {&custom, LabelSource::ClusterQueue}}
      ),
      admitted_active_workloads(
          registry,
          {.name = "kueue_admitted_active_workloads",
           .help = "Unfinished workloads that are admitted",
           .labels = with_workload({"cluster_queue"}, custom),
           .custom = {&custom, LabelSource::ClusterQueue}}
      ),
      finished_workloads(
          registry,
          {.name = "kueue_finished_workloads",
           .help = "Finished workloads whose objects still exist",
           .labels = {"cluster_queue"},
           .custom = {&custom, LabelSource::ClusterQueue}}
      ),
      quota_reserved_workloads_total(
          registry,
          {.name = "kueue_quota_reserved_workloads_total",
           .help = "Quota reservations",
           .labels = {"cluster_queue", "priority_class"},
           .custom = {&custom, LabelSource::ClusterQueue}}
      ),
      admitted_workloads_total(
          registry,
          {.name = "kueue_admitted_workloads_total",
           .help = "Admissions",
           .labels = {"cluster_queue", "priority_class"},
           .custom = {&custom, LabelSource::ClusterQueue}}
      ),
      finished_workloads_total(
          registry,
          {.name = "kueue_finished_workloads_total",
           .help = "Workloads that finished",
           .labels = {"cluster_queue", "priority_class"},
           .custom = {&custom, LabelSource::ClusterQueue}}
      ),
      evicted_workloads_total(
          registry,
          {.name = "kueue_evicted_workloads_total",
           .help = "Evictions",
           .labels = {"cluster_queue", "reason", "underlying_cause", "priority_class"},
           .custom = {&custom, LabelSource::ClusterQueue}}
      ),
      evicted_workloads_once_total(
          registry,
          {.name = "kueue_evicted_workloads_once_total",
           .help = "Distinct workloads that were evicted",
           .labels = {"cluster_queue", "reason", "underlying_cause", "priority_class"},
           .custom = {&custom, LabelSource::ClusterQueue}}
      ),
      pod_scheduling_gate_removal_seconds(
          registry,
          {.name = "kueue_pod_scheduling_gate_removal_seconds",
           .help = "From the admission of a workload to the opening of a gate of one of its pods",
           .labels = {"name", "cluster_queue", "is_group"},
           .custom = {&custom, LabelSource::ClusterQueue},
           .buckets = default_buckets()}
      ),
      preemption_target_recomputations_total(
          registry,
          {.name = "kueue_preemption_target_recomputations_total",
           .help =
               "Workloads whose preemption targets another workload of the cycle had taken, and "
               "which looked for others",
           .labels = {"cluster_queue", "result"},
           .custom = {&custom, LabelSource::ClusterQueue}}
      ),
      replaced_workload_slices_total(
          registry,
          {.name = "kueue_replaced_workload_slices_total",
           .help = "Slices of elastic jobs whose place a larger one took",
           .labels = {"cluster_queue"},
           .custom = {&custom, LabelSource::ClusterQueue}}
      ),
      preempted_workloads_total(
          registry,
          {.name = "kueue_preempted_workloads_total",
           .help = "Preemptions that were issued",
           .labels = {"preempting_cluster_queue", "reason"},
           .custom = {&custom, LabelSource::ClusterQueue}}
      ),
      quota_reserved_wait_time_seconds(
          registry,
          {.name = "kueue_quota_reserved_wait_time_seconds",
           .help = "From creation or requeue to the reservation of quota",
           .labels = {"cluster_queue", "priority_class"},
           .custom = {&custom, LabelSource::ClusterQueue},
           .buckets = wait_buckets(14)}
      ),
      admission_wait_time_seconds(
          registry,
          {.name = "kueue_admission_wait_time_seconds",
           .help = "From creation or requeue to admission",
           .labels = {"cluster_queue", "priority_class"},
           .custom = {&custom, LabelSource::ClusterQueue},
           .buckets = wait_buckets(16)}
      ),
      admission_checks_wait_time_seconds(
          registry,
          {.name = "kueue_admission_checks_wait_time_seconds",
           .help = "From the reservation of quota to admission",
           .labels = {"cluster_queue", "priority_class"},
           .custom = {&custom, LabelSource::ClusterQueue},
           .buckets = wait_buckets(14)}
      ),
      ready_wait_time_seconds(
          registry,
          {.name = "kueue_ready_wait_time_seconds",
           .help = "From creation or requeue until all pods are ready",
           .labels = {"cluster_queue", "priority_class"},
           .custom = {&custom, LabelSource::ClusterQueue},
           .buckets = wait_buckets(14)}
      ),
      admitted_until_ready_wait_time_seconds(
          registry,
          {.name = "kueue_admitted_until_ready_wait_time_seconds",
           .help = "From admission until all pods are ready",
           .labels = {"cluster_queue", "priority_class"},
           .custom = {&custom, LabelSource::ClusterQueue},
           .buckets = wait_buckets(14)}
      ),
      pods_ready_to_evicted_time_seconds(
          registry,
          {.name = "kueue_pods_ready_to_evicted_time_seconds",
           .help = "From the readiness of all pods to an eviction",
           .labels = {"cluster_queue", "reason", "underlying_cause"},
           .custom = {&custom, LabelSource::ClusterQueue},
           .buckets = wait_buckets(14)}
      ),
      execution_time_seconds(
          registry,
          {.name = "kueue_execution_time_seconds",
           .help = "From admission to the end",
           .labels = {"cluster_queue", "priority_class"},
           .custom = {&custom, LabelSource::ClusterQueue},
           .buckets = wait_buckets(16)}
      ),
      workload_eviction_latency_seconds(
          registry,
          {.name = "kueue_workload_eviction_latency_seconds",
           .help = "From eviction to the release of quota",
           .labels = {"cluster_queue", "reason"},
           .custom = {&custom, LabelSource::ClusterQueue},
           .buckets = wait_buckets(14)}
      ),
      cluster_queue_status(
          registry,
          {.name = "kueue_cluster_queue_status",
           .help = "1 for the status that the queue has, 0 for the others",
           .labels = {"cluster_queue", "status"},
           .custom = {&custom, LabelSource::ClusterQueue}}
      ),
      unadmitted_workloads(
          registry,
          {.name = "kueue_unadmitted_workloads",
           .help = "Workloads that are not admitted, by why",
           .labels = {"cluster_queue", "reason", "underlying_cause"},
           .custom = {&custom, LabelSource::ClusterQueue}}
      ),
      cluster_queue_info(
          registry,
          {.name = "kueue_cluster_queue_info",
           .help = "Constant 1, joins a queue with its cohorts",
           .labels = {"cluster_queue", "parent_cohort", "root_cohort"},
           .custom = {&custom, LabelSource::ClusterQueue}}
      ),
      cluster_queue_weighted_share(
          registry,
          {.name = "kueue_cluster_queue_weighted_share",
           .help = "Worst ratio of usage above nominal quota to what is lendable, over the weight",
           .labels = {"cluster_queue", "cohort"},
           .custom = {&custom, LabelSource::ClusterQueue}}
      ),
      cluster_queue_resource_reservation(
          registry,
          {.name = "kueue_cluster_queue_resource_reservation",
           .help = "Reserved quota",
           .labels = {"cohort", "cluster_queue", "flavor", "resource"},
           .custom = {&custom, LabelSource::ClusterQueue}}
      ),
      cluster_queue_resource_usage(
          registry,
          {.name = "kueue_cluster_queue_resource_usage",
           .help = "Used quota of admitted workloads",
           .labels = {"cohort", "cluster_queue", "flavor", "resource"},
           .custom = {&custom, LabelSource::ClusterQueue}}
      ),
      cluster_queue_nominal_quota(
          registry,
          {.name = "kueue_cluster_queue_nominal_quota",
           .help = "Nominal quota",
           .labels = {"cohort", "cluster_queue", "flavor", "resource"},
           .custom = {&custom, LabelSource::ClusterQueue}}
      ),
      cluster_queue_borrowing_limit(
          registry,
          {.name = "kueue_cluster_queue_borrowing_limit",
           .help = "Borrowing limit, infinite when not set",
           .labels = {"cohort", "cluster_queue", "flavor", "resource"},
           .custom = {&custom, LabelSource::ClusterQueue}}
      ),
      cluster_queue_lending_limit(
          registry,
          {.name = "kueue_cluster_queue_lending_limit",
           .help = "Lending limit, infinite when not set",
           .labels = {"cohort", "cluster_queue", "flavor", "resource"},
           .custom = {&custom, LabelSource::ClusterQueue}}
      ),
      cluster_queue_resource_pending(
          registry,
          {.name = "kueue_cluster_queue_resource_pending",
           .help = "Requests of pending workloads",
           .labels = {"cluster_queue", "resource"},
           .custom = {&custom, LabelSource::ClusterQueue}}
      ),
      local_queue_pending_workloads(
          registry,
          {.name = "kueue_local_queue_pending_workloads",
           .help = "Workloads that wait, by whether they may be admitted in the next cycles "
                   "(LocalQueue)",
           .labels = {"name", "namespace", "status"},
           .custom = {&custom, LabelSource::LocalQueue}}
      ),
      local_queue_reserving_active_workloads(
          registry,
          {.name = "kueue_local_queue_reserving_active_workloads",
           .help = "Unfinished workloads that hold quota (LocalQueue)",
           .labels = {"name", "namespace"},
           .custom = {&custom, LabelSource::LocalQueue}}
      ),
      local_queue_admitted_active_workloads(
          registry,
          {.name = "kueue_local_queue_admitted_active_workloads",
           .help = "Unfinished workloads that are admitted (LocalQueue)",
           .labels = with_workload({"name", "namespace"}, custom),
           .custom = {&custom, LabelSource::LocalQueue}}
      ),
      local_queue_finished_workloads(
          registry,
          {.name = "kueue_local_queue_finished_workloads",
           .help = "Finished workloads whose objects still exist (LocalQueue)",
           .labels = {"name", "namespace"},
           .custom = {&custom, LabelSource::LocalQueue}}
      ),
      local_queue_quota_reserved_workloads_total(
          registry,
          {.name = "kueue_local_queue_quota_reserved_workloads_total",
           .help = "Quota reservations (LocalQueue)",
           .labels = {"name", "namespace", "priority_class"},
           .custom = {&custom, LabelSource::LocalQueue}}
      ),
      local_queue_admitted_workloads_total(
          registry,
          {.name = "kueue_local_queue_admitted_workloads_total",
           .help = "Admissions (LocalQueue)",
           .labels = with_workload({"name", "namespace", "priority_class"}, custom),
           .custom = {&custom, LabelSource::LocalQueue}}
      ),
      local_queue_finished_workloads_total(
          registry,
          {.name = "kueue_local_queue_finished_workloads_total",
           .help = "Workloads that finished (LocalQueue)",
           .labels = {"name", "namespace", "priority_class"},
           .custom = {&custom, LabelSource::LocalQueue}}
      ),
      local_queue_evicted_workloads_total(
          registry,
          {.name = "kueue_local_queue_evicted_workloads_total",
           .help = "Evictions (LocalQueue)",
           .labels = {"name", "namespace", "reason", "underlying_cause", "priority_class"},
           .custom = {&custom, LabelSource::LocalQueue}}
      ),
      local_queue_quota_reserved_wait_time_seconds(
          registry,
          {.name = "kueue_local_queue_quota_reserved_wait_time_seconds",
           .help = "From creation or requeue to the reservation of quota (LocalQueue)",
           .labels = {"name", "namespace", "priority_class"},
           .custom = {&custom, LabelSource::LocalQueue},
           .buckets = wait_buckets(14)}
      ),
      local_queue_admission_wait_time_seconds(
          registry,
          {.name = "kueue_local_queue_admission_wait_time_seconds",
           .help = "From creation or requeue to admission (LocalQueue)",
           .labels = with_workload({"name", "namespace", "priority_class"}, custom),
           .custom = {&custom, LabelSource::LocalQueue},
           .buckets = wait_buckets(14)}
      ),
      local_queue_admission_checks_wait_time_seconds(
          registry,
          {.name = "kueue_local_queue_admission_checks_wait_time_seconds",
           .help = "From the reservation of quota to admission (LocalQueue)",
           .labels = {"name", "namespace", "priority_class"},
           .custom = {&custom, LabelSource::LocalQueue},
           .buckets = wait_buckets(14)}
      ),
      local_queue_ready_wait_time_seconds(
          registry,
          {.name = "kueue_local_queue_ready_wait_time_seconds",
           .help = "From creation or requeue until all pods are ready (LocalQueue)",
           .labels = {"name", "namespace", "priority_class"},
           .custom = {&custom, LabelSource::LocalQueue},
           .buckets = wait_buckets(14)}
      ),
      local_queue_admitted_until_ready_wait_time_seconds(
          registry,
          {.name = "kueue_local_queue_admitted_until_ready_wait_time_seconds",
           .help = "From admission until all pods are ready (LocalQueue)",
           .labels = {"name", "namespace", "priority_class"},
           .custom = {&custom, LabelSource::LocalQueue},
           .buckets = wait_buckets(14)}
      ),
      local_queue_execution_time_seconds(
          registry,
          {.name = "kueue_local_queue_execution_time_seconds",
           .help = "From admission to the end (LocalQueue)",
           .labels = {"name", "namespace", "priority_class"},
           .custom = {&custom, LabelSource::LocalQueue},
           .buckets = wait_buckets(16)}
      ),
      local_queue_status(
          registry,
          {.name = "kueue_local_queue_status",
           .help = "1 for the status that the queue has, 0 for the others (LocalQueue)",
           .labels = {"name", "namespace", "active"},
           .custom = {&custom, LabelSource::LocalQueue}}
      ),
      local_queue_unadmitted_workloads(
          registry,
          {.name = "kueue_local_queue_unadmitted_workloads",
           .help = "Workloads that are not admitted, by why (LocalQueue)",
           .labels = {"name", "namespace", "cluster_queue", "reason", "underlying_cause"},
           .custom = {&custom, LabelSource::LocalQueue}}
      ),
      local_queue_resource_reservation(
          registry,
          {.name = "kueue_local_queue_resource_reservation",
           .help = "Reserved quota (LocalQueue)",
           .labels = {"name", "namespace", "flavor", "resource"},
           .custom = {&custom, LabelSource::LocalQueue}}
      ),
      local_queue_resource_usage(
          registry,
          {.name = "kueue_local_queue_resource_usage",
           .help = "Used quota of admitted workloads (LocalQueue)",
           .labels = {"name", "namespace", "flavor", "resource"},
           .custom = {&custom, LabelSource::LocalQueue}}
      ),
      local_queue_admission_fair_sharing_usage(
          registry,
          {.name = "kueue_local_queue_admission_fair_sharing_usage",
           .help = "Usage that decides on the order of admission (LocalQueue)",
           .labels = {"name", "namespace", "cluster_queue"},
           .custom = {&custom, LabelSource::LocalQueue}}
      ),
      cohort_weighted_share(
          registry,
          {.name = "kueue_cohort_weighted_share",
           .help = "Worst ratio of usage above nominal quota to what is lendable, over the weight",
           .labels = {"cohort"},
           .custom = {&custom, LabelSource::Cohort}}
      ),
      cohort_subtree_quota(
          registry,
          {.name = "kueue_cohort_subtree_quota",
           .help = "Quota of the cohort and all below it",
           .labels = {"cohort", "flavor", "resource"},
           .custom = {&custom, LabelSource::Cohort}}
      ),
      cohort_subtree_resource_reservations(
          registry,
          {.name = "kueue_cohort_subtree_resource_reservations",
           .help = "Reserved quota in the cohort and all below it",
           .labels = {"cohort", "flavor", "resource"},
           .custom = {&custom, LabelSource::Cohort}}
      ),
      cohort_subtree_admitted_workloads_total(
          registry,
          {.name = "kueue_cohort_subtree_admitted_workloads_total",
           .help = "Admissions in the cohort and all below it",
           .labels = {"cohort", "priority_class"},
           .custom = {&custom, LabelSource::Cohort}}
      ),
      cohort_subtree_admitted_active_workloads(
          registry,
          {.name = "kueue_cohort_subtree_admitted_active_workloads",
           .help = "Unfinished admitted workloads in the cohort and all below it",
           .labels = {"cohort"},
           .custom = {&custom, LabelSource::Cohort}}
      ),
      cohort_info(
          registry,
          {.name = "kueue_cohort_info",
           .help = "Constant 1, joins a cohort with those above it",
           .labels = {"cohort", "parent_cohort", "root_cohort"},
           .custom = {&custom, LabelSource::Cohort}}
      ),
      audit_findings(
          registry,
          {.name = "sluice_audit_findings",
           .help = "Inconsistencies that the last audit of the scheduler's state found; above 0 "
                   "nothing is admitted under that root",
           .labels = {"root"}}
      ) {}

void KueueMetrics::remove_cluster_queue(const std::string& name) {
    registry_.remove("kueue_", {{"cluster_queue", name}});
    registry_.remove("kueue_", {{"preempting_cluster_queue", name}});
}

void KueueMetrics::remove_gauges_of_cluster_queue(const std::string& name) {
    registry_.remove_gauges("kueue_cluster_queue_", {{"cluster_queue", name}});
    for (const char* gauge :
         {"kueue_pending_",
          "kueue_reserving_active_workloads",
          "kueue_admitted_active_workloads",
          "kueue_finished_workloads",
          "kueue_unadmitted_workloads",
          "kueue_admission_cycle_preemption_skips"}) {
        registry_.remove_gauges(gauge, {{"cluster_queue", name}});
    }
}

void KueueMetrics::remove_gauges_of_local_queue(const std::string& ns, const std::string& name) {
    registry_.remove_gauges("kueue_local_queue_", {{"name", name}, {"namespace", ns}});
}

void KueueMetrics::remove_gauges_of_cohort(const std::string& name) {
    registry_.remove_gauges("kueue_cohort_", {{"cohort", name}});
}

void KueueMetrics::remove_local_queue(const std::string& ns, const std::string& name) {
    registry_.remove("kueue_local_queue_", {{"name", name}, {"namespace", ns}});
}

void KueueMetrics::remove_cohort(const std::string& name) {
    registry_.remove("kueue_cohort_", {{"cohort", name}});
}

}  // namespace sluice::metrics
