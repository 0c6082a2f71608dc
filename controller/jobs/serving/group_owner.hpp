#pragma once

#include "api/kueue/workload.hpp"
#include "base/clock.hpp"
#include "controller/jobs/job/job_kinds.hpp"
#include "controller/jobs/job/job_problem.hpp"
#include "controller/reconcile/reconcile.hpp"
#include "controller/reconcile/settings.hpp"
#include "controller/reconcile/stores.hpp"
#include "controller/reconcile/view.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What StatefulSets and LeaderWorkerSets have in common: each group of their pods is admitted as a
/// Workload that they make beforehand.
namespace sluice::controller {

/// An object that makes groups of pods. Lifetime: refers to the object.
struct GroupOwner {
    Kind kind;
    std::string_view integration;  ///< as integrations.frameworks spells it
    const api::ObjectMeta& metadata;

    std::string_view queue() const;
    /// It is the copy of one in another cluster, whose Workloads come from there too.
    bool is_copy() const;
    /// The uid that the names of its Workloads cover: of a copy that of the original.
    std::string uid() const;
};

/// Whether it is managed, and no object above it is. Errors: as find_managed_ancestor().
JobResult<bool> is_managed_alone(
    const View& view, const JobKinds& kinds, const api::ObjectMeta& object
);

/// The name of the Workload of a group with that name.
std::string group_workload_name(
    const GroupOwner& owner, std::string_view group, const Settings& settings
);

/// A new Workload of a group. Of labels and annotations of the owner those with the given keys are
/// copied. Errors: as resolve_priority().
JobResult<api::Workload> make_group_workload(
    const Stores& stores,
    const Settings& settings,
    const GroupOwner& owner,
    std::string name,
    std::vector<api::PodSet> pod_sets,
    bool copies_keys
);

/// The write that makes it.
Write create_group_workload(const GroupOwner& owner, const api::Workload& workload, Time now);

/// Whether the owner is an owner of the Workload.
bool owns(const GroupOwner& owner, const api::Workload& workload);

/// The patch of what the Workload lacks to follow its owner: the owner itself, the queue (unless
/// quota is reserved, when it cannot change) and the admission gates; none: it follows.
std::optional<Write> follow_owner(
    const GroupOwner& owner, const api::Workload& workload, const Settings& settings
);

/// The write by which an evicted group without pods gives its quota back, which else its pods' own
/// reconciler does; none: it has pods, or no quota to give back.
std::optional<Write> free_evicted(
    const Stores& stores, const api::Workload& workload, const Settings& settings, Time now
);

/// Removes a Workload that was finished because its pods did not match it, once it has been over
/// for some seconds: the pods that their controller makes again get a new one.
void remove_stale(const api::Workload& workload, Time now, Outcome& outcome);

/// An event about the owner.
EventNote owner_event(
    const GroupOwner& owner,
    std::string_view reason,
    std::string_view note,
    EventType type = EventType::Normal
);

/// What is to be done where no Workload can be made.
Outcome refuse_owner(const GroupOwner& owner, const JobProblem& problem);

}  // namespace sluice::controller
