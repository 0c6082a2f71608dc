// Pod groups: how their Workloads are recognized, and the key under which a group is reconciled.
#pragma once

#include "api/kueue/workload.hpp"
#include "controller/reconcile/reconcile.hpp"

#include <string_view>

/// Groups of pods (KEP-976). A group has no API object, so it is reconciled under a key that no pod
/// can have.
namespace sluice::controller {

/// Returns true if the Workload was made for a pod group: the group's pods own it, and none of them
/// is its controller.
bool is_of_pod_group(const api::ObjectMeta& workload);

/// Returns true if the Workload is owned by a StatefulSet or LeaderWorkerSet, which creates the
/// pods of the group.
bool is_of_serving_object(const api::ObjectMeta& workload);

/// Returns true if the Workload belongs to a job: an object controls it, or it is a pod group's.
bool has_job(const api::ObjectMeta& workload);

/// Returns the key under which a group is reconciled. Example: Pod team/group/train
ObjectKey pod_group_key(std::string_view ns, std::string_view group);

/// Returns the group's name if `name` comes from pod_group_key(); "" if it is a pod's name.
std::string_view group_in_name(std::string_view name);

}  // namespace sluice::controller
