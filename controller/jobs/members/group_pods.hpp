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

/// Pods of StatefulSets and LeaderWorkerSets: the objects that make them.
namespace sluice::controller {

/// The kind LeaderWorkerSet. Lifetime: that of the process.
const std::shared_ptr<const kube::RunTimeKind>& leader_worker_set_names();

/// The index of pods by the object that makes groups of them.
inline constexpr std::string_view kPodMakerIndex = "pod_maker";
/// The value of a pod in that index; none: no such object makes it.
std::vector<std::string> makers_of_pod(const api::Pod& pod);
/// The object that makes the pod as one of a group, whether it is there or not.
std::optional<ObjectKey> find_maker(const api::Pod& pod);
/// The pods that the object makes.
const kube::Store<api::Pod>::Objects& pods_made_by(const Stores& stores, const ObjectKey& maker);

/// Returns true if a StatefulSet or LeaderWorkerSet that owns the Workload makes the pod: each
/// owner on the way is there with the uid that the reference has, and a StatefulSet's pods have its
/// name and a number. Annotations, which users can write, are not considered.
bool is_made_by_owner_of(const Stores& stores, const api::Pod& pod, const api::Workload& workload);

}  // namespace sluice::controller
