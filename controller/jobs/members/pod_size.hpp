// Compares the requests of a pod with those that its group's Workload counts.
#pragma once

#include "api/core/pod.hpp"
#include "api/kueue/workload.hpp"
#include "controller/reconcile/stores.hpp"

namespace sluice::controller {

/// Returns true if `pod` requests more of any resource than `than`. The role of a pod in its group
/// is an annotation, which users can write, so a pod must not pass for a smaller one.
bool asks_for_more(const api::PodSpec& pod, const api::PodSpec& than);

/// Returns the requests of a pod that is created from the template in the namespace, with the
/// defaults of its LimitRanges and the overhead of the RuntimeClass.
api::ResourceList counted_requests(
    const Stores& stores, const std::string& ns, const api::PodSpec& pod_template
);

/// Returns true if the pod requests more than the pod set of its group's Workload counts for one
/// pod, with the defaults of the namespace's LimitRanges and the overhead of the RuntimeClass.
/// False for pods of a StatefulSet or LeaderWorkerSet that owns the Workload: like pods of a Job,
/// they are created from the template that was counted.
bool outgrows(
    const Stores& stores,
    const api::Pod& pod,
    const api::Workload& workload,
    const api::PodSet& pod_set
);

}  // namespace sluice::controller
