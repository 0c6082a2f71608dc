// The Workloads of an owner: of a job, of a pod group, or of an object that creates pod groups.
#pragma once

#include "api/kueue/workload.hpp"
#include "controller/reconcile/reconcile.hpp"
#include "kube/runtime/stores.hpp"

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// All lookups of the Workloads that belong to an owner. Owner references name jobs and objects
/// that create pod groups. A pod group is not an API object, so its Workload is found by name.
/// Lifetime of references: until the store changes.
namespace sluice::controller {

using Workloads = kube::Store<api::Workload>::Objects;
using WorkloadPointers = std::vector<std::shared_ptr<const api::Workload>>;

/// The role of an object among the owners of a Workload.
enum class OwnerRole : std::uint8_t {
    Controller,  ///< a job, or a pod that is a job alone: it has the Workload for itself
    Member,      ///< a StatefulSet or LeaderWorkerSet: it owns the Workload together with the pods
};

/// Adds the indexes that the lookups below need.
void add_owner_indexes(kube::Store<api::Workload>& workloads);

/// Returns the Workloads that name an owner of that kind and name in that role, whatever its uid:
/// also those of a deleted object whose name another object has now. As Member, an owner is not
/// the controller and not a pod.
const Workloads& workloads_of_owner(
    const kube::Stores& stores, const ObjectKey& owner, OwnerRole role = OwnerRole::Controller
);
/// Returns those of workloads_of_owner() for which is_owned_by() is true.
WorkloadPointers workloads_of_object(
    const kube::Stores& stores,
    const ObjectKey& owner,
    std::string_view uid,
    OwnerRole role = OwnerRole::Controller
);
/// Returns true if the object with that uid is the controller of the Workload or, as Member, any
/// owner of it.
bool is_owned_by(
    const api::ObjectMeta& workload, std::string_view uid, OwnerRole role = OwnerRole::Controller
);

/// Returns the Workloads that lost the job, by lost_job_of().
const Workloads& lost_workloads(const kube::Stores& stores, const api::ObjectMeta& job);
/// Returns the Workloads that lost the job. `job`: its namespace and uid, "namespace/uid".
const Workloads& lost_workloads(const kube::Stores& stores, const std::string& job);

/// Returns true if an unreadable Workload may belong to the job: its text contains the job's uid.
bool has_unreadable_workload(const kube::Stores& stores, const api::ObjectMeta& job);

/// Returns the first Workload that has one of these names, whoever owns it; nullptr if none exists.
/// The Workload of a pod group has the name of the group, or the name that its creator computes.
std::shared_ptr<const api::Workload> find_group_workload(
    const kube::Stores& stores, std::string_view ns, std::initializer_list<std::string_view> names
);

/// Says which of the Workloads that were created at the same time is the newest.
enum class SameAge : std::uint8_t { FirstName, LastUid };

/// Returns the newest Workload for which `counts` returns true; nullptr if none counts.
std::shared_ptr<const api::Workload> find_newest(
    const Workloads& workloads,
    SameAge same_age,
    const std::function<bool(const api::Workload&)>& counts
);

/// Returns the keys of the Workloads.
std::vector<ObjectKey> keys_of(const Workloads& workloads);

}  // namespace sluice::controller
