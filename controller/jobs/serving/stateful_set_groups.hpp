// Reconciles StatefulSets: one Workload for all pods.
#pragma once

#include "api/core/apps.hpp"
#include "controller/jobs/job/job_kinds.hpp"
#include "controller/reconcile/view.hpp"

/// StatefulSets: all pods of a StatefulSet are one group, whose Workload outlives times without
/// pods.
namespace sluice::controller {

/// Returns the next action for the StatefulSet of that name. It has a Workload once it wants pods;
/// the Workload is put on hold if the set is scaled to zero. Its pods get the labels of their
/// group.
Outcome reconcile_stateful_set(
    const View& view, const JobKinds& kinds, const kube::NamespacedName& name, Time now
);

/// The name of a StatefulSet's Workload, and the Workload if it exists. A Workload with the name
/// that older versions gave it counts too, until one with the new name exists.
struct GroupWorkload {
    std::string name;
    std::shared_ptr<const api::Workload> workload;
};
GroupWorkload find_workload_of_set(
    const Stores& stores, const api::ObjectMeta& stateful_set, const Settings& settings
);

/// Returns true if the Workload holds no quota and is not queued, because its owner wants no pods.
bool is_on_hold(const api::Workload& workload);

}  // namespace sluice::controller
