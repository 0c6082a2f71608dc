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

/// Which pods of a group have a place in its Workload: in each pod set, the role, as many as it has
/// counted.
namespace sluice::controller {

using Pods = std::vector<std::shared_ptr<const api::Pod>>;

/// How many pods there are of each role.
using RoleCounts = std::map<std::string, std::int32_t>;

/// The pods of a group by what is to be done with them.
struct PodPlaces {
    Pods kept;
    Pods strangers;           ///< useful, of roles that the Workload lacks
    Pods excess;              ///< useful, but others are there, or larger than its role
    Pods replaced;            ///< useless, and others took their places
    std::int64_t absent = 0;  ///< places without a useful pod
};

/// Whether an admission counts each pod that is there, or the first one for all (fast admission).
enum class GroupCount : std::uint8_t { EachPod, FirstPod };

/// Finds the places of the pods; one that outgrows() the pod set of its role has none.
PodPlaces find_places(
    const Stores& stores,
    const Pods& pods,
    const api::Workload& workload,
    GroupCount count,
    Time now
);

/// Returns the pods that may still run and outgrow() the pod set of their role.
Pods find_oversized(const Stores& stores, const Pods& pods, const api::Workload& workload);

/// Those that are kept first come first: with Kueue's finalizer, not gated, older.
void sort_useful(Pods& pods);

/// The useful ones among them, counted by role.
RoleCounts count_roles(const Pods& pods);

/// Whether the Workload has each of the roles, with as many pods as there are. Of one that has
/// finished the pods are not counted.
bool has_place_for(const api::Workload& workload, const RoleCounts& roles);

}  // namespace sluice::controller
