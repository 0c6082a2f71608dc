// Finds the StatefulSet or LeaderWorkerSet that creates a pod as a member of a group.
#pragma once

#include "api/core/apps.hpp"
#include "api/core/pod.hpp"
#include "controller/reconcile/reconcile.hpp"
#include "controller/reconcile/stores.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Pods of StatefulSets and LeaderWorkerSets, and the objects that create them ("makers").
namespace sluice::controller {

/// Returns the kind LeaderWorkerSet. Lifetime: that of the process.
const std::shared_ptr<const kube::RunTimeKind>& leader_worker_set_names();

/// The index of pods by the object that creates them as members of a group.
inline constexpr std::string_view kPodMakerIndex = "pod_maker";
/// Returns the pod's value in that index; empty if no such object creates it.
std::vector<std::string> makers_of_pod(const api::Pod& pod);
/// Returns the object that creates the pod as a member of a group, whether or not it exists;
/// nullopt if the pod is not created like that.
std::optional<ObjectKey> find_maker(const api::Pod& pod);
/// Returns the pods that the object creates.
const kube::Store<api::Pod>::Objects& pods_made_by(const Stores& stores, const ObjectKey& maker);

/// Returns true if a StatefulSet or LeaderWorkerSet that owns the Workload created the pod: each
/// owner on the way exists with the uid in the reference, and the pod's name is that of its
/// StatefulSet with a number. Annotations are not considered, because users can write them.
bool is_made_by_owner_of(const Stores& stores, const api::Pod& pod, const api::Workload& workload);

}  // namespace sluice::controller
