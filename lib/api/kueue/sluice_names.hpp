// Names that Sluice adds to those of Kueue, in the domain sluice.dev.
#pragma once

/// Names that Sluice adds; Kueue does not know them.
namespace sluice::api {

namespace label {
/// "true" on a ConfigMap in Sluice's namespace: each of its keys describes a job kind.
inline constexpr char kJobKinds[] = "sluice.dev/job-kinds";
}  // namespace label

namespace annotation {
/// On a Workload of a job whose kind a user describes: the framework of that kind. Only Sluice
/// starts such a job, and only while the description exists.
inline constexpr char kDescribedKind[] = "sluice.dev/described-kind";
/// On a Workload: nodes whose kubelets rejected its pods, each with the time, separated by commas.
/// Admissions pass over them for ten minutes.
inline constexpr char kRejectedBy[] = "sluice.dev/rejected-by";
/// On a ResourceFlavor: "Enforce" if an admission needs room for its pods on the flavor's nodes;
/// "Observe", as without it, if quota alone decides.
inline constexpr char kCapacity[] = "sluice.dev/capacity";
/// On a ResourceFlavor: how many nodes an autoscaler may give it.
inline constexpr char kMayGrowTo[] = "sluice.dev/may-grow-to";
/// On a ResourceFlavor that may grow: the allocatable resources of a new node.
inline constexpr char kNodeShape[] = "sluice.dev/node-shape";
}  // namespace annotation

namespace condition {
/// On a ClusterQueue: its quota exceeds what the nodes of its flavors can give.
inline constexpr char kQuotaExceedsNodes[] = "QuotaExceedsNodes";
}  // namespace condition

namespace reason {
/// Reasons of condition QuotaExceedsNodes; the first one is an event's of a ClusterQueue and of a
/// Cohort too.
inline constexpr char kNodesLackQuota[] = "NodesLackQuota";
inline constexpr char kNodesHaveQuota[] = "NodesHaveQuota";
/// Eviction of a Workload: a kubelet rejected one of its pods, which never started.
inline constexpr char kPodRejected[] = "PodRejected";
/// Event on a Workload: its pods do not all fit on nodes, even if nothing else ran.
inline constexpr char kPodsExceedNodes[] = "PodsExceedNodes";
/// Event on a Workload: its topologyAssignment leaves pods without a domain, or no node can follow
/// it.
inline constexpr char kTopologyAssignmentFaulty[] = "TopologyAssignmentFaulty";
/// QuotaReserved=False of a Workload whose job kind is not described, so that nothing would start
/// the job.
inline constexpr char kJobKindNotDescribed[] = "JobKindNotDescribed";
/// Event on an object of any kind: its reconciles have failed for a minute.
inline constexpr char kReconcileFailing[] = "ReconcileFailing";
/// Event on a job that names a queue but is in a namespace where jobs are not managed; it stays
/// suspended.
inline constexpr char kNamespaceNotManaged[] = "NamespaceNotManaged";
/// Events on ConfigMaps that describe job kinds.
inline constexpr char kJobKindDescribed[] = "JobKindDescribed";
inline constexpr char kInvalidJobKind[] = "InvalidJobKind";
inline constexpr char kDuplicateJobKind[] = "DuplicateJobKind";
}  // namespace reason

}  // namespace sluice::api
