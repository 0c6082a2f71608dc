// Assigns the pods of a group to the places that its Workload counts.
#pragma once

#include "api/core/pod.hpp"
#include "api/kueue/workload.hpp"
#include "base/clock.hpp"
#include "controller/reconcile/stores.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

/// The places of a group's Workload: each pod set, which is a role, has as many as it counts pods.
namespace sluice::controller {

using Pods = std::vector<std::shared_ptr<const api::Pod>>;

/// The number of pods by role.
using RoleCounts = std::map<std::string, std::int32_t>;

/// The pods of a group, by what has to be done with them.
struct PodPlaces {
    Pods kept;
    Pods strangers;           ///< useful, but of roles that the Workload lacks
    Pods excess;              ///< useful, but all places are taken, or too large for the role
    Pods replaced;            ///< useless, and useful pods took their places
    std::int64_t absent = 0;  ///< number of places without a useful pod
};

/// Says whether an admission counts each existing pod, or the first pod for all (fast admission).
enum class GroupCount : std::uint8_t { EachPod, FirstPod };

/// Assigns the places; a pod that outgrows() the pod set of its role gets none.
PodPlaces find_places(
    const Stores& stores,
    const Pods& pods,
    const api::Workload& workload,
    GroupCount count,
    Time now
);

/// Returns the pods that may still run and outgrow() the pod set of their role.
Pods find_oversized(const Stores& stores, const Pods& pods, const api::Workload& workload);

/// Sorts pods that are kept first to the front: pods with Kueue's finalizer, ungated pods, older
/// pods.
void sort_useful(Pods& pods);

/// Counts the useful pods by role.
RoleCounts count_roles(const Pods& pods);

/// Returns true if the Workload has each of the roles, with at least as many places as pods. The
/// pods of a finished Workload are not counted.
bool has_place_for(const api::Workload& workload, const RoleCounts& roles);

}  // namespace sluice::controller
