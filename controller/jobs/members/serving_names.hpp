#pragma once

/// The frameworks whose objects make pods that are jobs, as the configuration and the annotation
/// pod-suspending-parent spell them, and what the controllers of those objects write on pods.
namespace sluice::controller {

inline constexpr char kDeployments[] = "deployment";
inline constexpr char kStatefulSets[] = "statefulset";
inline constexpr char kLeaderWorkerSets[] = "leaderworkerset.x-k8s.io/leaderworkerset";

/// Label of a pod of a StatefulSet: its ordinal.
inline constexpr char kPodIndexLabel[] = "apps.kubernetes.io/pod-index";
/// Label of a pod: the revision of the template that it was made from.
inline constexpr char kRevisionLabel[] = "controller-revision-hash";

/// What the labels and annotations of LeaderWorkerSets begin with.
inline constexpr char kLeaderWorkerSetPrefix[] = "leaderworkerset.sigs.k8s.io";
/// Label of its pods: the LeaderWorkerSet.
inline constexpr char kSetNameLabel[] = "leaderworkerset.sigs.k8s.io/name";
/// Label of its pods: which of the replicas they are of.
inline constexpr char kGroupIndexLabel[] = "leaderworkerset.sigs.k8s.io/group-index";
/// Label of its pods: which pod of the replica they are.
inline constexpr char kWorkerIndexLabel[] = "leaderworkerset.sigs.k8s.io/worker-index";
/// Annotation of workers: the leader of their replica.
inline constexpr char kLeaderNameAnnotation[] = "leaderworkerset.sigs.k8s.io/leader-name";

}  // namespace sluice::controller
