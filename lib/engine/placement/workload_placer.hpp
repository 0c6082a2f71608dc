// Places the podSets of a workload on the nodes of their flavors (KEP-2724).
#pragma once

#include "engine/placement/placement_terms.hpp"
#include "engine/placement/room_cache.hpp"
#include "engine/state/state.hpp"
#include "engine/topology/leaf_view.hpp"
#include "engine/types/ids.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

namespace sluice::engine {

/// Pods of a podSet that are to be placed on the nodes of a flavor. Requires: the flavor has a
/// topology.
struct PodSetToPlace {
    std::uint32_t pod_set = 0;  ///< position in the workload's podSets
    std::int32_t count = 0;
    FlavorIndex flavor;
    bool is_implied = false;  ///< see PlacementTerms
    /// The places of the slice that the workload replaces (KEP-77). Its pods stay there, and only
    /// those beyond them are placed. If there are more places than pods, all stay: the controller
    /// gives back those where no pod is.
    std::vector<LeafPods> kept = {};
    friend bool operator==(const PodSetToPlace&, const PodSetToPlace&) = default;
};

/// A podSet with its leaves, in the order of their paths. There may be none, and fewer pods than
/// asked for: pods beyond whole slices get no place.
struct PlacedPodSet {
    std::uint32_t pod_set = 0;
    LeafDemand demand;
    /// A node was replaced: `demand` has the leaves of all pods, and these have the replacing ones.
    std::vector<LeafPods> replacing;
    bool is_kept = false;  ///< the present topology stays as it is; `demand` is empty
};

/// A podSet that cannot be placed.
struct UnplacedPodSet {
    std::uint32_t pod_set = 0;
    FlavorIndex flavor;
    std::shared_ptr<const PlacementFailure> failure;
};

/// The places of all podSets, or the first podSet in the order of the spec that has none.
struct WorkloadPlacement {
    std::vector<PlacedPodSet> placed;
    std::optional<UnplacedPodSet> unplaced;

    bool fits() const { return !unplaced; }
};

/// Says if the view counts the pods of the slice that the workload replaces.
enum class KeptPods : std::uint8_t { Counted, Removed };

/// Places podSets one after the other, or together with their group's leader; each sees what the
/// ones before it take. *Lifetime*: of the state, the rooms and the view.
class WorkloadPlacer {
  public:
    WorkloadPlacer(
        const State& state,
        RoomCache& rooms,
        WorkloadIndex workload,
        const LeafView& view,
        Occupancy occupancy
    );

    WorkloadPlacement place(
        const std::vector<PodSetToPlace>& pod_sets, KeptPods kept = KeptPods::Counted
    );

  private:
    using Group = std::vector<PodSetToPlace>;

    std::vector<Group> groups_on(FlavorIndex flavor, const std::vector<PodSetToPlace>& pod_sets)
        const;
    /// Sorts podSets by how few of their pods the nodes could hold, so that large pods find room.
    void largest_first(FlavorIndex flavor, std::vector<Group>& groups) const;
    bool replaces_node() const;
    /// Returns false if the group has no place; records what was found.
    bool place_group(const Group& group);
    /// Leaves the workers that run where they are, and their leader, and places those beyond them.
    bool grow_group(const PodSetToPlace& workers, const PodSetToPlace* leader);
    /// Places so many pods more.
    std::variant<std::vector<LeafPods>, PlacementFailure> place_more(
        const PodSetToPlace& pod_set, std::int64_t count
    );
    bool replace_node(const PodSetToPlace& pod_set);
    void fail(const PodSetToPlace& pod_set, std::shared_ptr<const PlacementFailure> failure);
    LeafDemand demand_of(const PodSetToPlace& pod_set) const;
    const LeafCapacity& capacity_of(FlavorIndex flavor) const;
    LeafCapacity& write_capacity(FlavorIndex flavor);
    /// Counts the pods as running for the podSets that follow.
    void assume(const LeafDemand& demand);

    const State& state_;
    RoomCache& rooms_;
    const WorkloadRecord& record_;
    const LeafView& view_;
    Occupancy occupancy_;
    KeptPods kept_ = KeptPods::Counted;
    std::map<FlavorIndex, LeafCapacity> assumed_;  // where podSets before take something
    WorkloadPlacement result_;
};

/// Places pods where `capacity` has room for them. Returns the leaves, or why they have no place.
std::variant<std::vector<PlacedPods>, PlacementFailure> place_pods(
    const State& state,
    RoomCache& rooms,
    FlavorIndex flavor,
    const LeafCapacity& capacity,
    const PodsToPlace& pods
);

}  // namespace sluice::engine
