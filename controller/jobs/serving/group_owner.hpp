// Workloads of StatefulSets and LeaderWorkerSets, one for each group of pods.
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

/// The common part of StatefulSets and LeaderWorkerSets: each group of their pods is admitted as a
/// Workload that their reconciler creates before the group.
namespace sluice::controller {

/// An object that creates groups of pods. Lifetime: it refers to the object's metadata.
struct GroupOwner {
    Kind kind;
    std::string_view integration;  ///< as in integrations.frameworks
    const api::ObjectMeta& metadata;

    /// Returns the queue that the object's label names, or "".
    std::string_view queue() const;
    /// Returns true for a copy of an object of another cluster (MultiKueue): its Workloads are
    /// copied too.
    bool is_copy() const;
    /// Returns the uid in the names of the Workloads; for a copy, the uid of the original object.
    std::string uid() const;
};

/// Returns true if the object is managed and no object above it is. Errors: as
/// find_managed_ancestor().
JobResult<bool> is_managed_alone(
    const View& view, const JobKinds& kinds, const api::ObjectMeta& object
);

/// Returns the name of the Workload of a group.
std::string group_workload_name(
    const GroupOwner& owner, std::string_view group, const Settings& settings
);

/// Returns a new Workload for a group. With `copies_keys` it gets the owner's labels and
/// annotations whose keys the configuration lists. Errors: as resolve_priority(), and InvalidSpec
/// if the API server would refuse the pods for their requests.
JobResult<api::Workload> make_group_workload(
    const Stores& stores,
    const Settings& settings,
    const GroupOwner& owner,
    std::string name,
    std::vector<api::PodSet> pod_sets,
    bool copies_keys
);

/// Returns the write that creates the Workload, with its event.
Write create_group_workload(const GroupOwner& owner, const api::Workload& workload, Time now);

/// Returns a patch that makes the Workload follow its owner: it sets the owner reference, the queue
/// (unless quota is reserved: then it cannot change) and the admission gates. Returns nullopt if
/// the Workload is up to date.
std::optional<Write> follow_owner(
    const GroupOwner& owner, const api::Workload& workload, const Settings& settings
);

/// Returns a write that releases the quota of an evicted group without pods; with pods, the
/// reconciler of the pods does this. Returns nullopt if the group has pods or no quota.
std::optional<Write> free_evicted(
    const Stores& stores, const api::Workload& workload, const Settings& settings, Time now
);

/// Deletes a Workload that was finished as out of sync with its pods, after some seconds: the pods
/// that their controller creates again get a new Workload.
void remove_stale(const api::Workload& workload, Time now, Outcome& outcome);

/// Returns an event about the owner.
EventNote owner_event(
    const GroupOwner& owner,
    std::string_view reason,
    std::string_view note,
    EventType type = EventType::Normal
);

/// Returns the outcome for an owner whose Workload cannot be created: a warning, and a later
/// attempt unless the problem is permanent.
Outcome refuse_owner(const GroupOwner& owner, const JobProblem& problem);

}  // namespace sluice::controller
