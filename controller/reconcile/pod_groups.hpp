#pragma once

#include "api/kueue/workload.hpp"
#include "controller/reconcile/reconcile.hpp"

#include <string_view>

/// Groups of pods (KEP-976). No object stands for one, so a key that no pod can have does.
namespace sluice::controller {

/// Whether a group of pods is admitted as this Workload: its pods own it, and none controls it.
bool is_of_pod_group(const api::ObjectMeta& workload);

/// Returns true if a StatefulSet or a LeaderWorkerSet, which makes the pods of the group, owns it.
bool is_of_serving_object(const api::ObjectMeta& workload);

/// Whether it is a job's: an object controls it, or it is of a group.
bool has_job(const api::ObjectMeta& workload);

/// The key under which a group is reconciled. Example: Pod team/group/train
ObjectKey pod_group_key(std::string_view ns, std::string_view group);

/// The name of the group in such a name, or "" for that of a pod.
std::string_view group_in_name(std::string_view name);

}  // namespace sluice::controller
