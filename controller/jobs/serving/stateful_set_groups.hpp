#pragma once

#include "api/core/apps.hpp"
#include "controller/jobs/job/job_kinds.hpp"
#include "controller/jobs/serving/group_owner.hpp"
#include "controller/reconcile/view.hpp"

/// StatefulSets: all pods of one are a group, whose Workload outlives a time without pods.
namespace sluice::controller {

/// What is to be done about the StatefulSet of that name: it has a Workload while it has pods to
/// run, which is put on hold when it is scaled to zero, and its pods know their group.
Outcome reconcile_stateful_set(
    const View& view, const JobKinds& kinds, const kube::NamespacedName& name, Time now
);

/// Whether another framework holds back its pods. Example: those of a LeaderWorkerSet
bool is_of_another_framework(const api::ObjectMeta& pod_template);

/// The group owner that a StatefulSet is.
GroupOwner group_owner_of(const api::ObjectMeta& stateful_set);

/// The name of its Workload, and the Workload if it is there. Until one has been made, the name
/// that older versions gave it counts too.
struct GroupWorkload {
    std::string name;
    std::shared_ptr<const api::Workload> workload;
};
GroupWorkload find_group_workload(
    const Stores& stores, const api::ObjectMeta& stateful_set, const Settings& settings
);

/// Whether it holds no quota and is not queued, until its owner has pods again.
bool is_on_hold(const api::Workload& workload);

}  // namespace sluice::controller
