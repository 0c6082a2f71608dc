#pragma once

#include "metrics/registry.hpp"

#include <string>

namespace sluice::metrics {

/// Every metric that the controller serves, under Kueue's names and labels, which dashboards know;
/// those of our own begin with `sluice_`.
/// Label values are given in the order of the comment, W being the values of CustomLabels for the
/// Workload; `replica_role` and the custom labels of queues and cohorts come by themselves.
class KueueMetrics {
    Registry& registry_;

  public:
    /// `custom` must outlive the registry.
    KueueMetrics(Registry& registry, const CustomLabels& custom);

    // Scheduling cycles.
    Counter admission_attempts_total;              ///< result (success, inadmissible)
    Histogram admission_attempt_duration_seconds;  ///< result
    Gauge build_info;  ///< git_version, git_commit, build_date, go_version, compiler, platform
    Gauge admission_cycle_preemption_skips;       ///< cluster_queue
    Histogram workload_creation_latency_seconds;  ///< job_kind, the LocalQueue's custom labels

    // By ClusterQueue.
    Gauge pending_workloads;                 ///< cluster_queue, status (active, inadmissible), W
    Gauge pending_scheduling_hashes;         ///< cluster_queue, status
    Gauge reserving_active_workloads;        ///< cluster_queue
    Gauge admitted_active_workloads;         ///< cluster_queue, W
    Gauge finished_workloads;                ///< cluster_queue
    Counter quota_reserved_workloads_total;  ///< cluster_queue, priority_class
    Counter admitted_workloads_total;        ///< cluster_queue, priority_class
    Counter finished_workloads_total;        ///< cluster_queue, priority_class
    Counter evicted_workloads_total;  ///< cluster_queue, reason, underlying_cause, priority_class
    Counter
        evicted_workloads_once_total;  ///< cluster_queue, reason, underlying_cause, priority_class
    Histogram pod_scheduling_gate_removal_seconds;     ///< name, cluster_queue, is_group
    Counter preemption_target_recomputations_total;    ///< cluster_queue, result (new_targets,
                                                       ///< deferred_fit, skipped)
    Counter replaced_workload_slices_total;            ///< cluster_queue
    Counter preempted_workloads_total;                 ///< preempting_cluster_queue, reason
    Histogram quota_reserved_wait_time_seconds;        ///< cluster_queue, priority_class
    Histogram admission_wait_time_seconds;             ///< cluster_queue, priority_class
    Histogram admission_checks_wait_time_seconds;      ///< cluster_queue, priority_class
    Histogram ready_wait_time_seconds;                 ///< cluster_queue, priority_class
    Histogram admitted_until_ready_wait_time_seconds;  ///< cluster_queue, priority_class
    Histogram pods_ready_to_evicted_time_seconds;      ///< cluster_queue, reason, underlying_cause
    Histogram execution_time_seconds;                  ///< cluster_queue, priority_class
    Histogram workload_eviction_latency_seconds;       ///< cluster_queue, reason
    Gauge cluster_queue_status;          ///< cluster_queue, status (pending, active, terminating)
    Gauge unadmitted_workloads;          ///< cluster_queue, reason, underlying_cause
    Gauge cluster_queue_info;            ///< cluster_queue, parent_cohort, root_cohort
    Gauge cluster_queue_weighted_share;  ///< cluster_queue, cohort
    Gauge cluster_queue_resource_reservation;  ///< cohort, cluster_queue, flavor, resource
    Gauge cluster_queue_resource_usage;        ///< cohort, cluster_queue, flavor, resource
    Gauge cluster_queue_nominal_quota;         ///< cohort, cluster_queue, flavor, resource
    Gauge cluster_queue_borrowing_limit;       ///< cohort, cluster_queue, flavor, resource
    Gauge cluster_queue_lending_limit;         ///< cohort, cluster_queue, flavor, resource
    Gauge cluster_queue_resource_pending;      ///< cluster_queue, resource

    // By LocalQueue.
    Gauge local_queue_pending_workloads;                 ///< name, namespace, status
    Gauge local_queue_reserving_active_workloads;        ///< name, namespace
    Gauge local_queue_admitted_active_workloads;         ///< name, namespace, W
    Gauge local_queue_finished_workloads;                ///< name, namespace
    Counter local_queue_quota_reserved_workloads_total;  ///< name, namespace, priority_class
    Counter local_queue_admitted_workloads_total;        ///< name, namespace, priority_class, W
    Counter local_queue_finished_workloads_total;        ///< name, namespace, priority_class
    Counter local_queue_evicted_workloads_total;  ///< name, namespace, reason, underlying_cause,
                                                  ///< priority_class
    Histogram local_queue_quota_reserved_wait_time_seconds;  ///< name, namespace, priority_class
    Histogram local_queue_admission_wait_time_seconds;       ///< name, namespace, priority_class, W
    Histogram local_queue_admission_checks_wait_time_seconds;  ///< name, namespace, priority_class
    Histogram local_queue_ready_wait_time_seconds;             ///< name, namespace, priority_class
    Histogram local_queue_admitted_until_ready_wait_time_seconds;  ///< name, namespace,
                                                                   ///< priority_class
    Histogram local_queue_execution_time_seconds;  ///< name, namespace, priority_class
    Gauge local_queue_status;                ///< name, namespace, active (True, False, Unknown)
    Gauge local_queue_unadmitted_workloads;  ///< name, namespace, cluster_queue, reason,
                                             ///< underlying_cause
    Gauge local_queue_resource_reservation;  ///< name, namespace, flavor, resource
    Gauge local_queue_resource_usage;        ///< name, namespace, flavor, resource
    Gauge local_queue_admission_fair_sharing_usage;  ///< name, namespace, cluster_queue

    // By cohort.
    Gauge cohort_weighted_share;                      ///< cohort
    Gauge cohort_subtree_quota;                       ///< cohort, flavor, resource
    Gauge cohort_subtree_resource_reservations;       ///< cohort, flavor, resource
    Counter cohort_subtree_admitted_workloads_total;  ///< cohort, priority_class
    Gauge cohort_subtree_admitted_active_workloads;   ///< cohort
    Gauge cohort_info;                                ///< cohort, parent_cohort, root_cohort

    // Not Kueue's.
    Gauge audit_findings;  ///< root (root cohort, or ClusterQueue without cohort)

    /// Removes all series of a ClusterQueue that was deleted.
    void remove_cluster_queue(const std::string& name);
    /// Removes all series of a LocalQueue that was deleted. LocalQueues of one name in other
    /// namespaces keep theirs.
    void remove_local_queue(const std::string& ns, const std::string& name);
    /// Removes all series of a cohort that is gone.
    void remove_cohort(const std::string& name);

    /// The same of gauges alone: the values of the object's custom labels are about to change.
    void remove_gauges_of_cluster_queue(const std::string& name);
    void remove_gauges_of_local_queue(const std::string& ns, const std::string& name);
    void remove_gauges_of_cohort(const std::string& name);
};

}  // namespace sluice::metrics
