// Names of integrations, labels and annotations of Deployments, StatefulSets and LeaderWorkerSets.
#pragma once

/// The names of frameworks whose objects create pods that are jobs, as in the configuration and in
/// the annotation pod-suspending-parent; and the labels and annotations that controllers of those
/// objects set on pods.
namespace sluice::controller {

inline constexpr char kDeployments[] = "deployment";
inline constexpr char kStatefulSets[] = "statefulset";
inline constexpr char kLeaderWorkerSets[] = "leaderworkerset.x-k8s.io/leaderworkerset";

/// Label of a pod of a StatefulSet: its ordinal.
inline constexpr char kPodIndexLabel[] = "apps.kubernetes.io/pod-index";
/// Label of a pod: the revision of the template from which it was created.
inline constexpr char kRevisionLabel[] = "controller-revision-hash";

/// Prefix of the labels and annotations of LeaderWorkerSets.
inline constexpr char kLeaderWorkerSetPrefix[] = "leaderworkerset.sigs.k8s.io";
/// Label of a LeaderWorkerSet's pods: the name of the LeaderWorkerSet.
inline constexpr char kSetNameLabel[] = "leaderworkerset.sigs.k8s.io/name";
/// Label of a LeaderWorkerSet's pods: the index of their replica.
inline constexpr char kGroupIndexLabel[] = "leaderworkerset.sigs.k8s.io/group-index";
/// Label of a LeaderWorkerSet's pods: their index in the replica.
inline constexpr char kWorkerIndexLabel[] = "leaderworkerset.sigs.k8s.io/worker-index";
/// Annotation of workers: the name of the leader of their replica.
inline constexpr char kLeaderNameAnnotation[] = "leaderworkerset.sigs.k8s.io/leader-name";

}  // namespace sluice::controller
