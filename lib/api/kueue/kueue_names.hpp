// Names of Kueue's API: groups, labels, annotations, finalizers, condition types and reasons.
#pragma once

/// Names of Kueue's API other than fields: labels, annotations, condition types, reasons and
/// groups. Each is an array of char, so that it converts to std::string, std::string_view and
/// json::Value without a cast.
namespace sluice::api {

/// The group of ClusterQueue, LocalQueue, Workload and the other kinds of Kueue.
inline constexpr char kKueueGroup[] = "kueue.x-k8s.io";
/// The version that is stored, and that Sluice reads and writes.
inline constexpr char kKueueApiVersion[] = "kueue.x-k8s.io/v1beta2";
/// The older version, which is still served by conversion.
inline constexpr char kKueueV1beta1[] = "kueue.x-k8s.io/v1beta1";
/// The group of kinds that are computed for each request.
inline constexpr char kVisibilityGroup[] = "visibility.kueue.x-k8s.io";
/// The newer version of these kinds.
inline constexpr char kVisibilityApiVersion[] = "visibility.kueue.x-k8s.io/v1beta2";
/// The older version of these kinds.
inline constexpr char kVisibilityApiVersionV1beta1[] = "visibility.kueue.x-k8s.io/v1beta1";
/// The older version of a Configuration.
inline constexpr char kConfigV1beta1[] = "config.kueue.x-k8s.io/v1beta1";
/// The newer version of a Configuration.
inline constexpr char kConfigV1beta2[] = "config.kueue.x-k8s.io/v1beta2";
/// The Lease that Kueue's controllers use for leader election. Sluice uses it too, so that the two
/// never act at the same time.
inline constexpr char kLeaderLease[] = "c1f6bfd2.kueue.x-k8s.io";
/// Replaces the value of a custom metric label that is not tracked.
inline constexpr char kUntrackedLabelValue[] = "kueue.x-k8s.io/_UNTRACKED_VALUE_";
/// spec.priorityClassSource of a v1beta1 Workload whose class is a WorkloadPriorityClass.
inline constexpr char kWorkloadPriorityClassSource[] = "kueue.x-k8s.io/workloadpriorityclass";

/// Labels of jobs, pods and Workloads.
namespace label {
/// On a job: the LocalQueue it waits in.
inline constexpr char kQueueName[] = "kueue.x-k8s.io/queue-name";
/// On a job: its WorkloadPriorityClass.
inline constexpr char kPriorityClass[] = "kueue.x-k8s.io/priority-class";
/// On a job: how long it may run once admitted (KEP-3125).
inline constexpr char kMaxExecTimeSeconds[] = "kueue.x-k8s.io/max-exec-time-seconds";
/// On a job: the Workload that a user created for it in advance.
inline constexpr char kPrebuiltWorkload[] = "kueue.x-k8s.io/prebuilt-workload-name";
/// On a Workload: the uid of its job.
inline constexpr char kJobUid[] = "kueue.x-k8s.io/job-uid";
/// On a pod: the podSet of the Workload that it counts in.
inline constexpr char kPodSet[] = "kueue.x-k8s.io/podset";
/// "true" on a pod that Sluice manages, alone or as part of a group (KEP-976).
inline constexpr char kManaged[] = "kueue.x-k8s.io/managed";
/// On a pod: the pod group that it belongs to.
inline constexpr char kPodGroupName[] = "kueue.x-k8s.io/pod-group-name";
/// On a pod: its rank in the group.
inline constexpr char kPodGroupPodIndex[] = "kueue.x-k8s.io/pod-group-pod-index";
/// On a pod of an admitted job: its LocalQueue.
inline constexpr char kLocalQueueName[] = "kueue.x-k8s.io/local-queue-name";
/// On a pod of an admitted job: its ClusterQueue.
inline constexpr char kClusterQueueName[] = "kueue.x-k8s.io/cluster-queue-name";
/// On the copy of a job in a worker cluster: the manager that created it (KEP-693).
inline constexpr char kMultiKueueOrigin[] = "kueue.x-k8s.io/multikueue-origin";
/// "true" on pods of a Workload that has the MultiKueue origin label.
inline constexpr char kMultiKueueWorkerWorkloadPod[] =
    "kueue.x-k8s.io/multikueue-worker-workload-pod";
}  // namespace label

/// Annotations of jobs, pods and Workloads.
namespace annotation {
/// On a pod of an admitted job: the Workload it runs for.
inline constexpr char kWorkload[] = "kueue.x-k8s.io/workload";
/// Names of controllers that gate the admission, separated by commas.
inline constexpr char kAdmissionGatedBy[] = "kueue.x-k8s.io/admission-gated-by";
/// "true" on a job: it may grow and shrink by workload slices (KEP-77).
inline constexpr char kElasticJob[] = "kueue.x-k8s.io/elastic-job";
/// On a Workload: the key of the slice that it replaces (KEP-77).
inline constexpr char kWorkloadSliceReplacementFor[] =
    "kueue.x-k8s.io/workload-slice-replacement-for";
/// On the slices and pods of an elastic job: the name of its first slice (KEP-77).
inline constexpr char kWorkloadSliceName[] = "kueue.x-k8s.io/workload-slice-name";
/// On a job: the Workload that a user created for it in advance. Replaces the label of that name.
inline constexpr char kPrebuiltWorkload[] = "kueue.x-k8s.io/prebuilt-workload-name";
/// "true" on a Workload that belongs to a group of pods.
inline constexpr char kIsGroupWorkload[] = "kueue.x-k8s.io/is-group-workload";
/// On a pod: the pod group that it belongs to. Replaces the label of that name.
inline constexpr char kPodGroupName[] = "kueue.x-k8s.io/pod-group-name";
/// On a pod: how many pods its group has.
inline constexpr char kPodGroupTotalCount[] = "kueue.x-k8s.io/pod-group-total-count";
/// "true" on a pod: its group is admitted before all of its pods exist.
inline constexpr char kPodGroupFastAdmission[] = "kueue.x-k8s.io/pod-group-fast-admission";
/// "true" on a pod: its group serves requests and never finishes.
inline constexpr char kPodGroupServing[] = "kueue.x-k8s.io/pod-group-serving";
/// On a pod: the label that has its rank in the group.
inline constexpr char kPodGroupPodIndexLabel[] = "kueue.x-k8s.io/pod-group-pod-index-label";
/// On a pod of a group: its role; pods with an equal value are alike.
inline constexpr char kRoleHash[] = "kueue.x-k8s.io/role-hash";
/// "false" on a pod: once all pods have ended the group ends, and failed ones get no replacement.
inline constexpr char kRetriableInGroup[] = "kueue.x-k8s.io/retriable-in-group";
/// On a pod template: the framework of the object that creates the pods; they are gated for it.
inline constexpr char kPodSuspendingParent[] = "kueue.x-k8s.io/pod-suspending-parent";
/// On a Workload without a controlling job: group, version and kind of the object that it is for.
inline constexpr char kJobOwnerGvk[] = "kueue.x-k8s.io/job-owner-gvk";
/// On a Workload without a controlling job: the name of the object that it is for.
inline constexpr char kJobOwnerName[] = "kueue.x-k8s.io/job-owner-name";
/// On a Workload: the index of the component of its owner that it is for.
inline constexpr char kComponentWorkloadIndex[] = "kueue.x-k8s.io/component-workload-index";
/// On the copy of a job in a worker cluster: the uid of the original (KEP-693).
inline constexpr char kMultiKueueOriginUid[] = "kueue.x-k8s.io/multikueue-origin-uid";
/// On a batch/v1 Job: the smallest parallelism for partial admission.
inline constexpr char kJobMinParallelism[] = "kueue.x-k8s.io/job-min-parallelism";
/// On a batch/v1 Job: completions are set to the parallelism under partial admission.
inline constexpr char kJobCompletionsEqualParallelism[] =
    "kueue.x-k8s.io/job-completions-equal-parallelism";
/// On a batch/v1 Job: it was suspended, and its template must still be restored.
inline constexpr char kStopping[] = "kueue.x-k8s.io/stopping";
/// On a pod template: the topology level at which one domain must hold all pods of the pod set
/// (KEP-2724).
inline constexpr char kPodSetRequiredTopology[] = "kueue.x-k8s.io/podset-required-topology";
/// On a pod template: the topology level at which one domain should hold all pods of the pod set.
inline constexpr char kPodSetPreferredTopology[] = "kueue.x-k8s.io/podset-preferred-topology";
/// "true" on a pod template: the pods may be placed in any domains.
inline constexpr char kPodSetUnconstrainedTopology[] =
    "kueue.x-k8s.io/podset-unconstrained-topology";
/// On a pod template: the topology level at which one domain must hold each slice of the pod set.
inline constexpr char kPodSetSliceRequiredTopology[] =
    "kueue.x-k8s.io/podset-slice-required-topology";
/// On a pod template: how many pods a slice has.
inline constexpr char kPodSetSliceSize[] = "kueue.x-k8s.io/podset-slice-size";
/// On a pod template: levels and sizes of nested slices, as JSON.
inline constexpr char kPodSetSliceRequiredTopologyConstraints[] =
    "kueue.x-k8s.io/podset-slice-required-topology-constraints";
/// On a pod template: an offset that is added to the rank of each pod of the pod set.
inline constexpr char kPodIndexOffset[] = "kueue.x-k8s.io/pod-index-offset";
/// On a pod template: pod sets with the same group name are placed in one domain.
inline constexpr char kPodSetGroupName[] = "kueue.x-k8s.io/podset-group-name";
/// On a Workload: a number added to its priority.
inline constexpr char kPriorityBoost[] = "kueue.x-k8s.io/priority-boost";
}  // namespace annotation

/// Common prefixes of annotations.
namespace annotation_prefix {
/// Annotations with this prefix are copied from a job to its Workload, as parameters of a
/// ProvisioningRequest.
inline constexpr char kProvisioningRequest[] = "provreq.kueue.x-k8s.io/";
}  // namespace annotation_prefix

/// Finalizers.
namespace finalizer {
/// Keeps an object while other objects use it.
inline constexpr char kResourceInUse[] = "kueue.x-k8s.io/resource-in-use";
/// Keeps a pod until its Workload has recorded how it ended.
inline constexpr char kManaged[] = "kueue.x-k8s.io/managed";
}  // namespace finalizer

/// Scheduling gates of pods.
namespace scheduling_gate {
/// Gates a pod until its Workload is admitted.
inline constexpr char kAdmission[] = "kueue.x-k8s.io/admission";
/// Gates a pod until its topology domain is chosen (KEP-2724).
inline constexpr char kTopology[] = "kueue.x-k8s.io/topology";
/// Gates the pods of an elastic job until its slice is admitted (KEP-77).
inline constexpr char kElasticJob[] = "kueue.x-k8s.io/elastic-job";
}  // namespace scheduling_gate

/// spec.controllerName of an AdmissionCheck.
namespace check_controller {
/// Runs the job in another cluster (KEP-693).
inline constexpr char kMultiKueue[] = "kueue.x-k8s.io/multikueue";
/// Asks the cluster autoscaler for nodes (KEP-1136).
inline constexpr char kProvisioningRequest[] = "kueue.x-k8s.io/provisioning-request";
}  // namespace check_controller

/// Values of multiKueue.dispatcherName in a Configuration (KEP-693).
namespace dispatcher {
/// Nominates all worker clusters at once.
inline constexpr char kAllAtOnce[] = "kueue.x-k8s.io/multikueue-dispatcher-all-at-once";
/// Nominates a few worker clusters at a time.
inline constexpr char kIncremental[] = "kueue.x-k8s.io/multikueue-dispatcher-incremental";
}  // namespace dispatcher

/// The state of an admission check of a Workload (KEP-993).
namespace check_state {
/// Not decided yet.
inline constexpr char kPending[] = "Pending";
/// The check has passed.
inline constexpr char kReady[] = "Ready";
/// The workload is evicted and tries again.
inline constexpr char kRetry[] = "Retry";
/// The workload is deactivated.
inline constexpr char kRejected[] = "Rejected";
}  // namespace check_state

/// spec.stopPolicy of a ClusterQueue or LocalQueue.
namespace stop_policy {
/// Workloads are admitted.
inline constexpr char kNone[] = "None";
/// No workload is admitted; admitted ones are evicted.
inline constexpr char kHoldAndDrain[] = "HoldAndDrain";
}  // namespace stop_policy

/// The status of a condition.
namespace condition_status {
/// The condition holds.
inline constexpr char kTrue[] = "True";
/// The condition does not hold.
inline constexpr char kFalse[] = "False";
/// It is not known if the condition holds.
inline constexpr char kUnknown[] = "Unknown";
}  // namespace condition_status

/// Types of conditions.
namespace condition {
/// The queue can admit workloads, or the check can be used.
inline constexpr char kActive[] = "Active";
/// The Workload has quota reserved in a ClusterQueue.
inline constexpr char kQuotaReserved[] = "QuotaReserved";
/// The Workload has quota reserved and all its checks are ready.
inline constexpr char kAdmitted[] = "Admitted";
/// All pods of the Workload are ready or succeeded (KEP-349).
inline constexpr char kPodsReady[] = "PodsReady";
/// The Workload must stop and release its quota.
inline constexpr char kEvicted[] = "Evicted";
/// The Workload was evicted in favor of another workload.
inline constexpr char kPreempted[] = "Preempted";
/// True if the Workload queues again after an eviction, False if it waits.
inline constexpr char kRequeued[] = "Requeued";
/// The Workload's job succeeded or failed, or the Workload was replaced.
inline constexpr char kFinished[] = "Finished";
/// The Workload will be deactivated for the condition's reason.
inline constexpr char kDeactivationTarget[] = "DeactivationTarget";
/// The Workload would fit by preemption, but a preemption gate is closed.
inline constexpr char kBlockedOnPreemptionGates[] = "BlockedOnPreemptionGates";
/// Some pods of the Workload's group must be replaced first.
inline constexpr char kWaitingForReplacementPods[] = "WaitingForReplacementPods";
/// The Pod will be deleted for the condition's reason.
inline constexpr char kTerminationTarget[] = "TerminationTarget";
inline constexpr char kTerminatedByKueue[] = "TerminatedByKueue";  ///< of pods
/// The batch/v1 Job succeeded.
inline constexpr char kJobComplete[] = "Complete";
/// The batch/v1 Job failed.
inline constexpr char kJobFailed[] = "Failed";
/// True if the batch/v1 Job is suspended, False if it was resumed.
inline constexpr char kJobSuspended[] = "Suspended";
}  // namespace condition

/// Reasons of conditions and of events.
namespace reason {
/// QuotaReserved=True, and its event.
inline constexpr char kQuotaReserved[] = "QuotaReserved";
/// Admitted=True, and its event.
inline constexpr char kAdmitted[] = "Admitted";
/// QuotaReserved=False without the gate UnadmittedWorkloadsObservability.
inline constexpr char kPending[] = "Pending";
/// QuotaReserved=False, because of its queues, without the gate UnadmittedWorkloadsObservability.
inline constexpr char kInadmissible[] = "Inadmissible";
/// QuotaReserved=False until the pods of all admitted workloads are ready.
inline constexpr char kWaiting[] = "Waiting";
/// QuotaReserved=False: no scheduling cycle has considered the workload yet.
inline constexpr char kPendingEvaluation[] = "PendingEvaluation";
/// QuotaReserved=False: no flavor suits its pods.
inline constexpr char kNoMatchingFlavor[] = "NoMatchingFlavor";
/// QuotaReserved=False: it requests more than the queue could ever have.
inline constexpr char kExceedsMaxQuota[] = "ExceedsMaxQuota";
/// QuotaReserved=False: it fits once used quota is released.
inline constexpr char kWaitingForQuota[] = "WaitingForQuota";
/// QuotaReserved=False: its pods do not fit into the topology.
inline constexpr char kTopologyPlacementFailed[] = "TopologyPlacementFailed";
/// QuotaReserved=False: the workloads that it preempted still hold their quota.
inline constexpr char kWaitingForPreemptedWorkloads[] = "WaitingForPreemptedWorkloads";
/// QuotaReserved=False: the pods of workloads admitted earlier must be ready first (KEP-349).
inline constexpr char kWaitingForPodsReady[] = "WaitingForPodsReady";
/// QuotaReserved=False, and an event: the annotation admission-gated-by gates the workload.
inline constexpr char kAdmissionGated[] = "AdmissionGated";
/// Event: the annotation admission-gated-by was removed.
inline constexpr char kAdmissionGateCleared[] = "AdmissionGateCleared";
/// QuotaReserved=False: its queue does not exist or does not accept it.
inline constexpr char kMisconfigured[] = "Misconfigured";
/// QuotaReserved=False: its queue is stopped or inactive. Event of a child job: it was suspended.
inline constexpr char kSuspended[] = "Suspended";
/// QuotaReserved=False: another controller keeps it out of the queue.
inline constexpr char kOnHold[] = "OnHold";
/// Admitted=False: no quota is reserved.
inline constexpr char kNoReservation[] = "NoReservation";
/// Admitted=False: a check is not ready.
inline constexpr char kUnsatisfiedChecks[] = "UnsatisfiedChecks";
/// Admitted=False with the gate UnadmittedWorkloadsObservability: a check is not ready.
inline constexpr char kUnsatisfiedAdmissionChecks[] = "UnsatisfiedAdmissionChecks";
/// Admitted=False: no quota is reserved and a check is not ready.
inline constexpr char kNoReservationUnsatisfiedChecks[] = "NoReservationUnsatisfiedChecks";
/// Admitted=False: the topology is not assigned yet.
inline constexpr char kPendingDelayedTopologyRequests[] = "PendingDelayedTopologyRequests";
/// Evicted, and its event: in favor of another workload.
inline constexpr char kPreempted[] = "Preempted";
/// Evicted: its pods were not ready in time (KEP-349).
inline constexpr char kPodsReadyTimeout[] = "PodsReadyTimeout";
/// PodsReady=False: not all pods have been ready yet. Also the cause of an eviction.
inline constexpr char kWaitForStart[] = "WaitForStart";
/// PodsReady=False: a pod failed after all were ready. Also the cause of an eviction.
inline constexpr char kWaitForRecovery[] = "WaitForRecovery";
/// PodsReady=True for the first time.
inline constexpr char kPodsStarted[] = "Started";
/// PodsReady=True again after a pod had failed.
inline constexpr char kPodsRecovered[] = "Recovered";
/// DeactivationTarget: its pods were too often not ready in time (KEP-1282).
inline constexpr char kRequeuingLimitExceeded[] = "RequeuingLimitExceeded";
/// Event: the prebuilt Workload does not exist or belongs to another object.
inline constexpr char kPrebuiltWorkloadNotFound[] = "PrebuiltWorkloadNotFound";
/// Finished: the prebuilt Workload does not match what its job requests.
inline constexpr char kOutOfSync[] = "OutOfSync";
/// Event: the object was deleted after the retention time (KEP-1618).
inline constexpr char kDeleted[] = "Deleted";
/// Evicted: a check has state Retry. DeactivationTarget: a check has state Rejected (KEP-993).
inline constexpr char kAdmissionCheck[] = "AdmissionCheck";
/// Evicted: its ClusterQueue has stopPolicy HoldAndDrain.
inline constexpr char kClusterQueueStopped[] = "ClusterQueueStopped";
/// Evicted: its LocalQueue has stopPolicy HoldAndDrain.
inline constexpr char kLocalQueueStopped[] = "LocalQueueStopped";
/// Evicted: spec.active is false.
inline constexpr char kDeactivated[] = "Deactivated";
/// Evicted: a node that it runs on failed.
inline constexpr char kNodeFailures[] = "NodeFailures";
inline constexpr char kSecondPassFailed[] = "SecondPassFailed";
inline constexpr char kPodTerminatedByKueue[] = "PodTerminatedByKueue";
inline constexpr char kUnschedulableOnAssignedNode[] = "UnschedulableOnAssignedNode";
/// Prefix of the event of an eviction, before its reason.
inline constexpr char kEvictedDueTo[] = "EvictedDueTo";
/// Prefix of an eviction's reason, before the cause of the deactivation.
inline constexpr char kDeactivatedDueTo[] = "DeactivatedDueTo";
/// Event: a check has state Rejected.
inline constexpr char kAdmissionCheckRejected[] = "AdmissionCheckRejected";
/// DeactivationTarget, and its event: it reached its maximum execution time (KEP-3125).
inline constexpr char kMaximumExecutionTimeExceeded[] = "MaximumExecutionTimeExceeded";
/// Preempted by a workload of its own ClusterQueue.
inline constexpr char kInClusterQueue[] = "InClusterQueue";
/// Preempted to reclaim borrowed quota.
inline constexpr char kInCohortReclamation[] = "InCohortReclamation";
/// Preempted to balance the shares of a cohort (KEP-1714).
inline constexpr char kInCohortFairSharing[] = "InCohortFairSharing";
/// Preempted by a workload that itself borrows (KEP-1337).
inline constexpr char kInCohortReclaimWhileBorrowing[] = "InCohortReclaimWhileBorrowing";
/// BlockedOnPreemptionGates=True.
inline constexpr char kPreemptionGated[] = "PreemptionGated";
/// Event of the preempting workload, one for each victim.
inline constexpr char kPreemptedWorkload[] = "PreemptedWorkload";
/// Requeued=True: the backoff after an eviction is over.
inline constexpr char kBackoffFinished[] = "BackoffFinished";
/// Requeued=True: spec.active became true.
inline constexpr char kReactivated[] = "Reactivated";
/// Requeued=True: its ClusterQueue is no longer stopped.
inline constexpr char kClusterQueueRestarted[] = "ClusterQueueRestarted";
/// Requeued=True: its LocalQueue is no longer stopped.
inline constexpr char kLocalQueueRestarted[] = "LocalQueueRestarted";
/// Finished: the job succeeded.
inline constexpr char kSucceeded[] = "Succeeded";
/// Finished: the job failed.
inline constexpr char kFailed[] = "Failed";
/// Finished: the job cannot be started with its admission.
inline constexpr char kFailedToStart[] = "FailedToStart";
/// Finished: the job no longer exists.
inline constexpr char kOwnerNotFound[] = "OwnerNotFound";
/// Finished: another slice of the same job replaced it (KEP-77).
inline constexpr char kWorkloadSliceReplaced[] = "WorkloadSliceReplaced";
/// Active=True.
inline constexpr char kReady[] = "Ready";
/// Active=False: the queue's stop policy. Event: a job was suspended.
inline constexpr char kStopped[] = "Stopped";
/// Active=False: it is being deleted.
inline constexpr char kTerminating[] = "Terminating";
/// Active=False of a LocalQueue: its ClusterQueue does not exist.
inline constexpr char kClusterQueueDoesNotExist[] = "ClusterQueueDoesNotExist";
/// Active=False of a LocalQueue: its ClusterQueue is inactive.
inline constexpr char kClusterQueueIsInactive[] = "ClusterQueueIsInactive";
/// Active=False of a ClusterQueue: it names a ResourceFlavor that does not exist.
inline constexpr char kFlavorNotFound[] = "FlavorNotFound";
/// Active=False of a ClusterQueue: a flavor names a Topology that does not exist.
inline constexpr char kTopologyNotFound[] = "TopologyNotFound";
/// Active=False of a ClusterQueue: it names an AdmissionCheck that does not exist.
inline constexpr char kAdmissionCheckNotFound[] = "AdmissionCheckNotFound";
/// Active=False of a ClusterQueue: it names an AdmissionCheck that is inactive.
inline constexpr char kAdmissionCheckInactive[] = "AdmissionCheckInactive";
/// Active=False of an AdmissionCheck: no controller serves it. Kueue does not have this reason.
inline constexpr char kControllerNotAvailable[] = "ControllerNotAvailable";
/// Active=False of a ClusterQueue: it has more than one MultiKueue check.
inline constexpr char kMultipleMultiKueueAdmissionChecks[] = "MultipleMultiKueueAdmissionChecks";
/// Active=False of a ClusterQueue: its MultiKueue check must apply to all flavors.
inline constexpr char kMultiKueueAdmissionCheckAppliedPerFlavor[] =
    "MultiKueueAdmissionCheckAppliedPerFlavor";
/// Active=False of a ClusterQueue: it has a MultiKueue check and a ProvisioningRequest check.
inline constexpr char kMultiKueueWithProvisioningRequest[] = "MultiKueueWithProvisioningRequest";
/// Active=False of a ClusterQueue: Kueue's webhook would reject its spec.
inline constexpr char kUnknown[] = "Unknown";
/// Active=False of a ClusterQueue: its recorded usage is inconsistent.
inline constexpr char kInconsistentState[] = "InconsistentState";
/// Active=False of a ClusterQueue: the cohorts above it form a cycle.
inline constexpr char kHasCycle[] = "HasCycle";
/// Event of a job: it has too many levels of owners.
inline constexpr char kJobNestingTooDeep[] = "JobNestingTooDeep";
/// Event: the object's spec cannot be honored.
inline constexpr char kInvalidSpec[] = "InvalidSpec";
/// Event of a job: its Workload was created.
inline constexpr char kCreatedWorkload[] = "CreatedWorkload";
/// Event of a job: its Workload was updated.
inline constexpr char kUpdatedWorkload[] = "UpdatedWorkload";
/// Event of a job: a Workload that does not match it was deleted.
inline constexpr char kDeletedWorkload[] = "DeletedWorkload";
/// Event of a job: its Workload finished.
inline constexpr char kFinishedWorkload[] = "FinishedWorkload";
/// Event of a job: it was unsuspended.
inline constexpr char kStarted[] = "Started";
/// Event of a job: the messages of its pending checks.
inline constexpr char kUpdatedAdmissionCheck[] = "UpdatedAdmissionCheck";
/// Event of a job: its PriorityClass does not exist.
inline constexpr char kPriorityClassNotFound[] = "PriorityClassNotFound";
/// Event of a job: its WorkloadPriorityClass does not exist.
inline constexpr char kWorkloadPriorityClassNotFound[] = "WorkloadPriorityClassNotFound";
/// Event of a pod: no Workload can be composed for its group yet.
inline constexpr char kErrWorkloadCompose[] = "ErrWorkloadCompose";
/// Event of a pod: the Workload with the name of its group belongs to another object.
inline constexpr char kWorkloadNameConflict[] = "WorkloadNameConflict";
/// Event of a pod: it exceeded the size of its group and was deleted.
inline constexpr char kExcessPodDeleted[] = "ExcessPodDeleted";
/// Event of a child job: it needs more than is left of its parent's quota.
inline constexpr char kExceedsParent[] = "ExceedsParent";
/// Event of a Workload: its job is over, but pods still run and hold its quota.
inline constexpr char kPodsLeftBehind[] = "PodsLeftBehind";
/// Event of a group's Workload: pods were added as its owners.
inline constexpr char kOwnerReferencesAdded[] = "OwnerReferencesAdded";
/// WaitingForReplacementPods=True.
inline constexpr char kPodsFailed[] = "PodsFailed";
/// WaitingForReplacementPods=False.
inline constexpr char kPodsReady[] = "PodsReady";
/// TerminationTarget=True: prefix of the reason of the eviction.
inline constexpr char kWorkloadEvictedDueTo[] = "WorkloadEvictedDueTo";
/// TerminationTarget=True: the Workload is being deleted.
inline constexpr char kWorkloadDeleted[] = "WorkloadDeleted";
/// TerminationTarget=True: no Workload matches the pods.
inline constexpr char kNoMatchingWorkload[] = "NoMatchingWorkload";
/// TerminationTarget=True: the Workload is not admitted.
inline constexpr char kNotAdmitted[] = "NotAdmitted";
}  // namespace reason

}  // namespace sluice::api
