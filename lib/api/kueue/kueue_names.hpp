#pragma once

/// The words of Kueue's API that are no fields: one home for labels, annotations, condition types,
/// reasons and the group. Each is an array of char, so that it becomes a std::string, a
/// std::string_view or a json::Value without a cast.
namespace sluice::api {

/// The group of ClusterQueue, LocalQueue, Workload and the other kinds of Kueue.
inline constexpr char kKueueGroup[] = "kueue.x-k8s.io";
/// The version that is stored and that Sluice reads and writes.
inline constexpr char kKueueApiVersion[] = "kueue.x-k8s.io/v1beta2";
/// The older version that is still served, by conversion.
inline constexpr char kKueueV1beta1[] = "kueue.x-k8s.io/v1beta1";
/// The group of the kinds that are computed for each request.
inline constexpr char kVisibilityGroup[] = "visibility.kueue.x-k8s.io";
/// Their newer version.
inline constexpr char kVisibilityApiVersion[] = "visibility.kueue.x-k8s.io/v1beta2";
inline constexpr char kVisibilityApiVersionV1beta1[] = "visibility.kueue.x-k8s.io/v1beta1";
/// The older version of a Configuration.
inline constexpr char kConfigV1beta1[] = "config.kueue.x-k8s.io/v1beta1";
/// The newer version of a Configuration.
inline constexpr char kConfigV1beta2[] = "config.kueue.x-k8s.io/v1beta2";
/// The Lease that Kueue's controllers compete for; Sluice takes the same one, so that the two never
/// act at once.
inline constexpr char kLeaderLease[] = "c1f6bfd2.kueue.x-k8s.io";
/// In place of a value of a custom metric label that is not tracked.
inline constexpr char kUntrackedLabelValue[] = "kueue.x-k8s.io/_UNTRACKED_VALUE_";
/// spec.priorityClassSource of a v1beta1 Workload: its class is a WorkloadPriorityClass.
inline constexpr char kWorkloadPriorityClassSource[] = "kueue.x-k8s.io/workloadpriorityclass";

/// Labels of jobs, pods and Workloads.
namespace label {
/// On a job: the LocalQueue it waits in.
inline constexpr char kQueueName[] = "kueue.x-k8s.io/queue-name";
/// On a job: its WorkloadPriorityClass.
inline constexpr char kPriorityClass[] = "kueue.x-k8s.io/priority-class";
/// On a job: how long it may run once admitted (KEP-3125).
inline constexpr char kMaxExecTimeSeconds[] = "kueue.x-k8s.io/max-exec-time-seconds";
/// On a job: the Workload that was made for it beforehand.
inline constexpr char kPrebuiltWorkload[] = "kueue.x-k8s.io/prebuilt-workload-name";
/// On a Workload: the uid of its job.
inline constexpr char kJobUid[] = "kueue.x-k8s.io/job-uid";
/// On a pod: the podSet of the Workload that it counts in.
inline constexpr char kPodSet[] = "kueue.x-k8s.io/podset";
/// "true" on a pod that is managed by itself or as a part of its group (KEP-976).
inline constexpr char kManaged[] = "kueue.x-k8s.io/managed";
/// On a pod: the group it is a part of.
inline constexpr char kPodGroupName[] = "kueue.x-k8s.io/pod-group-name";
/// On a pod: its rank in the group.
inline constexpr char kPodGroupPodIndex[] = "kueue.x-k8s.io/pod-group-pod-index";
/// On a pod of an admitted job: its LocalQueue.
inline constexpr char kLocalQueueName[] = "kueue.x-k8s.io/local-queue-name";
/// On a pod of an admitted job: its ClusterQueue.
inline constexpr char kClusterQueueName[] = "kueue.x-k8s.io/cluster-queue-name";
/// On the copy of a job in a worker cluster: the manager that made it (KEP-693).
inline constexpr char kMultiKueueOrigin[] = "kueue.x-k8s.io/multikueue-origin";
/// "true" for pods of a Workload with that label.
inline constexpr char kMultiKueueWorkerWorkloadPod[] =
    "kueue.x-k8s.io/multikueue-worker-workload-pod";
}  // namespace label

/// Annotations of jobs, pods and Workloads.
namespace annotation {
/// On a pod of an admitted job: the Workload it runs for.
inline constexpr char kWorkload[] = "kueue.x-k8s.io/workload";
/// Names of controllers that hold the admission back, separated by commas.
inline constexpr char kAdmissionGatedBy[] = "kueue.x-k8s.io/admission-gated-by";
/// "true" on a job: it may grow and shrink by workload slices (KEP-77).
inline constexpr char kElasticJob[] = "kueue.x-k8s.io/elastic-job";
/// On a Workload: the key of the slice it takes the place of (KEP-77).
inline constexpr char kWorkloadSliceReplacementFor[] =
    "kueue.x-k8s.io/workload-slice-replacement-for";
/// On the slices and pods of an elastic job: the name of its first slice (KEP-77).
inline constexpr char kWorkloadSliceName[] = "kueue.x-k8s.io/workload-slice-name";
/// On a job: the Workload that was made for it beforehand; instead of the label of that name.
inline constexpr char kPrebuiltWorkload[] = "kueue.x-k8s.io/prebuilt-workload-name";
/// "true" on a Workload: it stands for a group of pods.
inline constexpr char kIsGroupWorkload[] = "kueue.x-k8s.io/is-group-workload";
/// On a pod: the group it is a part of; instead of the label of that name.
inline constexpr char kPodGroupName[] = "kueue.x-k8s.io/pod-group-name";
/// On a pod: how many pods its group has.
inline constexpr char kPodGroupTotalCount[] = "kueue.x-k8s.io/pod-group-total-count";
/// "true" on a pod: its group is admitted before all of its pods are there.
inline constexpr char kPodGroupFastAdmission[] = "kueue.x-k8s.io/pod-group-fast-admission";
/// "true" on a pod: its group serves, and never ends by itself.
inline constexpr char kPodGroupServing[] = "kueue.x-k8s.io/pod-group-serving";
/// On a pod: the label that says its rank in the group.
inline constexpr char kPodGroupPodIndexLabel[] = "kueue.x-k8s.io/pod-group-pod-index-label";
/// On a pod of a group: which of its pods are alike.
inline constexpr char kRoleHash[] = "kueue.x-k8s.io/role-hash";
/// "false" on a pod: the group ends when it fails.
inline constexpr char kRetriableInGroup[] = "kueue.x-k8s.io/retriable-in-group";
/// On a pod template: the framework whose object makes the pods, for which they are held back.
inline constexpr char kPodSuspendingParent[] = "kueue.x-k8s.io/pod-suspending-parent";
/// On a Workload that no job controls: group, version and kind of the object that it is for.
inline constexpr char kJobOwnerGvk[] = "kueue.x-k8s.io/job-owner-gvk";
/// On the same Workload: the name of that object.
inline constexpr char kJobOwnerName[] = "kueue.x-k8s.io/job-owner-name";
/// On a Workload: which of its owner's parts it is for, as a number.
inline constexpr char kComponentWorkloadIndex[] = "kueue.x-k8s.io/component-workload-index";
/// On the copy of a job in a worker cluster: the uid of the original (KEP-693).
inline constexpr char kMultiKueueOriginUid[] = "kueue.x-k8s.io/multikueue-origin-uid";
/// On a batch/v1 Job: partial admission may go down to that parallelism.
inline constexpr char kJobMinParallelism[] = "kueue.x-k8s.io/job-min-parallelism";
/// On a batch/v1 Job: completions follow parallelism under partial admission.
inline constexpr char kJobCompletionsEqualParallelism[] =
    "kueue.x-k8s.io/job-completions-equal-parallelism";
/// On a batch/v1 Job: it was suspended, its template is yet to be restored.
inline constexpr char kStopping[] = "kueue.x-k8s.io/stopping";
/// On a pod template: the topology level whose one domain takes all pods of the pod set (KEP-2724).
inline constexpr char kPodSetRequiredTopology[] = "kueue.x-k8s.io/podset-required-topology";
/// On a pod template: the same, as far as it can be had.
inline constexpr char kPodSetPreferredTopology[] = "kueue.x-k8s.io/podset-preferred-topology";
/// "true" on a pod template: any domains.
inline constexpr char kPodSetUnconstrainedTopology[] =
    "kueue.x-k8s.io/podset-unconstrained-topology";
/// On a pod template: the level whose one domain takes each slice of the pod set.
inline constexpr char kPodSetSliceRequiredTopology[] =
    "kueue.x-k8s.io/podset-slice-required-topology";
/// On a pod template: how many pods a slice has.
inline constexpr char kPodSetSliceSize[] = "kueue.x-k8s.io/podset-slice-size";
/// On a pod template: levels and sizes of slices within slices, as JSON.
inline constexpr char kPodSetSliceRequiredTopologyConstraints[] =
    "kueue.x-k8s.io/podset-slice-required-topology-constraints";
/// On a pod template: added to the rank of each pod of the pod set.
inline constexpr char kPodIndexOffset[] = "kueue.x-k8s.io/pod-index-offset";
/// On a pod template: pod sets of the same name are placed in one domain.
inline constexpr char kPodSetGroupName[] = "kueue.x-k8s.io/podset-group-name";
/// On a Workload: a number added to its priority.
inline constexpr char kPriorityBoost[] = "kueue.x-k8s.io/priority-boost";
}  // namespace annotation

/// Prefixes of families of annotations.
namespace annotation_prefix {
/// Copied from a job to its Workload, as parameters of a ProvisioningRequest.
inline constexpr char kProvisioningRequest[] = "provreq.kueue.x-k8s.io/";
}  // namespace annotation_prefix

/// Finalizers.
namespace finalizer {
/// Keeps an object for as long as others depend on it.
inline constexpr char kResourceInUse[] = "kueue.x-k8s.io/resource-in-use";
/// Keeps a pod until its Workload knows how it ended.
inline constexpr char kManaged[] = "kueue.x-k8s.io/managed";
}  // namespace finalizer

/// Scheduling gates of pods.
namespace scheduling_gate {
/// Holds back a pod until its Workload is admitted.
inline constexpr char kAdmission[] = "kueue.x-k8s.io/admission";
/// Holds back a pod until its node is chosen (KEP-2724).
inline constexpr char kTopology[] = "kueue.x-k8s.io/topology";
/// Holds back the pods of an elastic job until its slice is admitted (KEP-77).
inline constexpr char kElasticJob[] = "kueue.x-k8s.io/elastic-job";
}  // namespace scheduling_gate

/// spec.controllerName of an AdmissionCheck.
namespace check_controller {
/// Runs the job in another cluster (KEP-693).
inline constexpr char kMultiKueue[] = "kueue.x-k8s.io/multikueue";
/// Asks the cluster autoscaler for nodes (KEP-1136).
inline constexpr char kProvisioningRequest[] = "kueue.x-k8s.io/provisioning-request";
}  // namespace check_controller

/// multiKueue.dispatcherName of a Configuration (KEP-693).
namespace dispatcher {
/// All worker clusters at once.
inline constexpr char kAllAtOnce[] = "kueue.x-k8s.io/multikueue-dispatcher-all-at-once";
/// A few worker clusters at a time.
inline constexpr char kIncremental[] = "kueue.x-k8s.io/multikueue-dispatcher-incremental";
}  // namespace dispatcher

/// The state of an admission check of a Workload (KEP-993).
namespace check_state {
/// Not decided yet.
inline constexpr char kPending[] = "Pending";
/// Passed.
inline constexpr char kReady[] = "Ready";
/// Not now: the workload gives its quota back and tries again.
inline constexpr char kRetry[] = "Retry";
/// Never: the workload is deactivated.
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
/// It holds.
inline constexpr char kTrue[] = "True";
/// It does not hold.
inline constexpr char kFalse[] = "False";
/// Nothing is known.
inline constexpr char kUnknown[] = "Unknown";
}  // namespace condition_status

/// Types of conditions.
namespace condition {
/// Of queues and checks: it can admit, or be used.
inline constexpr char kActive[] = "Active";
/// Of a Workload: it holds quota of a ClusterQueue.
inline constexpr char kQuotaReserved[] = "QuotaReserved";
/// Of a Workload: it holds quota and all its checks are ready.
inline constexpr char kAdmitted[] = "Admitted";
/// Of a Workload: all its pods are ready or succeeded (KEP-349).
inline constexpr char kPodsReady[] = "PodsReady";
/// Of a Workload: it has to stop and give its quota back.
inline constexpr char kEvicted[] = "Evicted";
/// Of a Workload: it was evicted in favour of another one.
inline constexpr char kPreempted[] = "Preempted";
/// Of a Workload: whether it queues again after an eviction.
inline constexpr char kRequeued[] = "Requeued";
/// Of a Workload: its job succeeded or failed, or it was replaced.
inline constexpr char kFinished[] = "Finished";
/// Of a Workload: it is to be deactivated, for this reason.
inline constexpr char kDeactivationTarget[] = "DeactivationTarget";
/// Of a Workload: it would fit by preempting, which a gate forbids.
inline constexpr char kBlockedOnPreemptionGates[] = "BlockedOnPreemptionGates";
/// Of a Workload of a group of pods: some have to be replaced first.
inline constexpr char kWaitingForReplacementPods[] = "WaitingForReplacementPods";
/// Of a Pod: it is deleted next, for the condition's reason.
inline constexpr char kTerminationTarget[] = "TerminationTarget";
/// Of a batch/v1 Job: it succeeded.
inline constexpr char kJobComplete[] = "Complete";
/// Of a batch/v1 Job: it failed.
inline constexpr char kJobFailed[] = "Failed";
/// Of a batch/v1 Job: it is suspended, or (False) was let run again.
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
/// QuotaReserved=False while all admitted workloads get their pods ready.
inline constexpr char kWaiting[] = "Waiting";
/// Waits for a scheduling cycle to consider it.
inline constexpr char kPendingEvaluation[] = "PendingEvaluation";
/// No flavor suits its pods.
inline constexpr char kNoMatchingFlavor[] = "NoMatchingFlavor";
/// It asks for more than the queue could ever have.
inline constexpr char kExceedsMaxQuota[] = "ExceedsMaxQuota";
/// It would fit, were quota not in use.
inline constexpr char kWaitingForQuota[] = "WaitingForQuota";
/// Its pods find no place in the topology.
inline constexpr char kTopologyPlacementFailed[] = "TopologyPlacementFailed";
/// The workloads it preempted still hold their quota.
inline constexpr char kWaitingForPreemptedWorkloads[] = "WaitingForPreemptedWorkloads";
/// Workloads admitted before get their pods ready first (KEP-349).
inline constexpr char kWaitingForPodsReady[] = "WaitingForPodsReady";
/// The annotation admission-gated-by holds it back; condition and event.
inline constexpr char kAdmissionGated[] = "AdmissionGated";
/// Event: the annotation admission-gated-by is gone.
inline constexpr char kAdmissionGateCleared[] = "AdmissionGateCleared";
/// Its queue does not exist or does not take it.
inline constexpr char kMisconfigured[] = "Misconfigured";
/// Its queue is stopped or inactive.
inline constexpr char kSuspended[] = "Suspended";
/// QuotaReserved=False: another controller keeps it out of the queue.
inline constexpr char kOnHold[] = "OnHold";
/// Admitted=False: no quota.
inline constexpr char kNoReservation[] = "NoReservation";
/// Admitted=False: a check is not ready.
inline constexpr char kUnsatisfiedChecks[] = "UnsatisfiedChecks";
/// The same with the gate UnadmittedWorkloadsObservability.
inline constexpr char kUnsatisfiedAdmissionChecks[] = "UnsatisfiedAdmissionChecks";
/// Admitted=False: neither quota nor all checks ready.
inline constexpr char kNoReservationUnsatisfiedChecks[] = "NoReservationUnsatisfiedChecks";
/// Admitted=False: a topology assignment is yet to come.
inline constexpr char kPendingDelayedTopologyRequests[] = "PendingDelayedTopologyRequests";
/// Evicted, and its event: in favour of another workload.
inline constexpr char kPreempted[] = "Preempted";
/// Evicted: its pods were not ready in time (KEP-349).
inline constexpr char kPodsReadyTimeout[] = "PodsReadyTimeout";
/// PodsReady=False: not all pods have been ready yet. Also the cause of an eviction.
inline constexpr char kWaitForStart[] = "WaitForStart";
/// PodsReady=False: a pod failed after all were ready. Also the cause of an eviction.
inline constexpr char kWaitForRecovery[] = "WaitForRecovery";
/// PodsReady=True: for the first time.
inline constexpr char kPodsStarted[] = "Started";
/// PodsReady=True: again, after a pod had failed.
inline constexpr char kPodsRecovered[] = "Recovered";
/// DeactivationTarget: its pods were not ready in time too often (KEP-1282).
inline constexpr char kRequeuingLimitExceeded[] = "RequeuingLimitExceeded";
/// Event: the Workload that was to be made beforehand is not there, or another object's.
inline constexpr char kPrebuiltWorkloadNotFound[] = "PrebuiltWorkloadNotFound";
/// Finished: the Workload that was made beforehand is not what its job asks for.
inline constexpr char kOutOfSync[] = "OutOfSync";
/// Event: deleted after the retention time (KEP-1618).
inline constexpr char kDeleted[] = "Deleted";
/// Evicted: a check says Retry; DeactivationTarget: a check says Rejected (KEP-993).
inline constexpr char kAdmissionCheck[] = "AdmissionCheck";
/// Evicted: its ClusterQueue is drained.
inline constexpr char kClusterQueueStopped[] = "ClusterQueueStopped";
/// Evicted: its LocalQueue is drained.
inline constexpr char kLocalQueueStopped[] = "LocalQueueStopped";
/// Evicted: spec.active is false.
inline constexpr char kDeactivated[] = "Deactivated";
/// Evicted: a node it runs on failed.
inline constexpr char kNodeFailures[] = "NodeFailures";
/// Prefix of the event of an eviction, before its reason.
inline constexpr char kEvictedDueTo[] = "EvictedDueTo";
/// Prefix of an eviction's reason, before the cause of the deactivation.
inline constexpr char kDeactivatedDueTo[] = "DeactivatedDueTo";
/// Event: a check says Rejected.
inline constexpr char kAdmissionCheckRejected[] = "AdmissionCheckRejected";
/// DeactivationTarget, and its event: it ran as long as it may (KEP-3125).
inline constexpr char kMaximumExecutionTimeExceeded[] = "MaximumExecutionTimeExceeded";
/// Preempted by a workload of its own ClusterQueue.
inline constexpr char kInClusterQueue[] = "InClusterQueue";
/// Preempted to give borrowed quota back.
inline constexpr char kInCohortReclamation[] = "InCohortReclamation";
/// Preempted to even the shares of a cohort (KEP-1714).
inline constexpr char kInCohortFairSharing[] = "InCohortFairSharing";
/// Preempted by a workload that borrows itself (KEP-1337).
inline constexpr char kInCohortReclaimWhileBorrowing[] = "InCohortReclaimWhileBorrowing";
/// BlockedOnPreemptionGates=True.
inline constexpr char kPreemptionGated[] = "PreemptionGated";
/// Event of the preempting workload, one for each victim.
inline constexpr char kPreemptedWorkload[] = "PreemptedWorkload";
/// Requeued=True: the delay after an eviction is over.
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
/// Finished: the job cannot take what the admission gives it.
inline constexpr char kFailedToStart[] = "FailedToStart";
/// Finished: the job is gone.
inline constexpr char kOwnerNotFound[] = "OwnerNotFound";
/// Finished: a larger slice of the same job took its place (KEP-77).
inline constexpr char kWorkloadSliceReplaced[] = "WorkloadSliceReplaced";
/// Active=True.
inline constexpr char kReady[] = "Ready";
/// Active=False: its stop policy; event: a job was suspended.
inline constexpr char kStopped[] = "Stopped";
/// Active=False: it is being deleted.
inline constexpr char kTerminating[] = "Terminating";
/// Active=False of a LocalQueue.
inline constexpr char kClusterQueueDoesNotExist[] = "ClusterQueueDoesNotExist";
/// Active=False of a LocalQueue.
inline constexpr char kClusterQueueIsInactive[] = "ClusterQueueIsInactive";
/// Active=False of a ClusterQueue: it names a ResourceFlavor that is not there.
inline constexpr char kFlavorNotFound[] = "FlavorNotFound";
/// Active=False of a ClusterQueue: a flavor names a Topology that is not there.
inline constexpr char kTopologyNotFound[] = "TopologyNotFound";
/// Active=False of a ClusterQueue.
inline constexpr char kAdmissionCheckNotFound[] = "AdmissionCheckNotFound";
/// Active=False of a ClusterQueue.
inline constexpr char kAdmissionCheckInactive[] = "AdmissionCheckInactive";
/// Active=False of an AdmissionCheck: nobody serves it. Not one of Kueue's.
inline constexpr char kControllerNotAvailable[] = "ControllerNotAvailable";
/// Active=False of a ClusterQueue: only one check may be of MultiKueue.
inline constexpr char kMultipleMultiKueueAdmissionChecks[] = "MultipleMultiKueueAdmissionChecks";
/// Active=False of a ClusterQueue: a check of MultiKueue is for all flavors.
inline constexpr char kMultiKueueAdmissionCheckAppliedPerFlavor[] =
    "MultiKueueAdmissionCheckAppliedPerFlavor";
/// Active=False of a ClusterQueue: the two checks exclude each other.
inline constexpr char kMultiKueueWithProvisioningRequest[] = "MultiKueueWithProvisioningRequest";
/// Active=False of a ClusterQueue: its spec is one that Kueue's webhook refuses.
inline constexpr char kUnknown[] = "Unknown";
/// Active=False of a ClusterQueue: what is counted of it contradicts itself.
inline constexpr char kInconsistentState[] = "InconsistentState";
/// The cohorts above form a cycle.
inline constexpr char kHasCycle[] = "HasCycle";
/// Event of a job: too many owners stand above it.
inline constexpr char kJobNestingTooDeep[] = "JobNestingTooDeep";
/// Event: the object says what cannot be honoured.
inline constexpr char kInvalidSpec[] = "InvalidSpec";
/// Event of a job.
inline constexpr char kCreatedWorkload[] = "CreatedWorkload";
/// Event of a job.
inline constexpr char kUpdatedWorkload[] = "UpdatedWorkload";
/// Event of a job: a Workload that is not like it went.
inline constexpr char kDeletedWorkload[] = "DeletedWorkload";
/// Event of a job.
inline constexpr char kFinishedWorkload[] = "FinishedWorkload";
/// Event of a job: it was unsuspended.
inline constexpr char kStarted[] = "Started";
/// Event of a job: what its pending checks say.
inline constexpr char kUpdatedAdmissionCheck[] = "UpdatedAdmissionCheck";
/// Event of a job.
inline constexpr char kPriorityClassNotFound[] = "PriorityClassNotFound";
/// Event of a job.
inline constexpr char kWorkloadPriorityClassNotFound[] = "WorkloadPriorityClassNotFound";
/// Event of a pod: its group can have no Workload yet.
inline constexpr char kErrWorkloadCompose[] = "ErrWorkloadCompose";
/// Event of a pod: the Workload with the name of its group is another object's.
inline constexpr char kWorkloadNameConflict[] = "WorkloadNameConflict";
/// Event of a pod: its group had enough others.
inline constexpr char kExcessPodDeleted[] = "ExcessPodDeleted";
inline constexpr char kExceedsParent[] = "ExceedsParent";
inline constexpr char kPodsLeftBehind[] = "PodsLeftBehind";
/// Event of a group's Workload: pods became its owners.
inline constexpr char kOwnerReferencesAdded[] = "OwnerReferencesAdded";
/// WaitingForReplacementPods=True.
inline constexpr char kPodsFailed[] = "PodsFailed";
/// WaitingForReplacementPods=False.
inline constexpr char kPodsReady[] = "PodsReady";
/// TerminationTarget=True: prefix, before the reason of the eviction.
inline constexpr char kWorkloadEvictedDueTo[] = "WorkloadEvictedDueTo";
/// TerminationTarget=True: the Workload is being deleted.
inline constexpr char kWorkloadDeleted[] = "WorkloadDeleted";
/// TerminationTarget=True: no Workload is like the pods.
inline constexpr char kNoMatchingWorkload[] = "NoMatchingWorkload";
/// TerminationTarget=True: the Workload is not admitted.
inline constexpr char kNotAdmitted[] = "NotAdmitted";
}  // namespace reason

}  // namespace sluice::api
