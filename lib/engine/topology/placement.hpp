// Places the pods of a podSet in the domains of a topology (KEP-2724).
#pragma once

#include "engine/topology/domain_tree.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sluice::engine {

/// The pods that fit in one leaf, alone.
struct LeafRoom {
    std::int64_t pods = 0;
    std::int64_t pods_beside_leader = 0;  ///< equals `pods` if the leader does not fit
    bool fits_leader = false;             ///< false without a leader too
    std::int64_t affinity = 0;            ///< sum of the weights of preferred node affinities
};

/// Pods of a slice stay within one domain of the level (podSetSliceRequiredTopology, KEP-6151).
struct SliceLayer {
    std::size_t level = 0;
    std::int64_t size = 1;
};

/// The placement that a podSet asks for (PodSet.topologyRequest), with levels as positions in the
/// topology.
struct PlacementRequest {
    std::int64_t count = 0;
    /// The podSet's group has a leader of one pod, which is placed with these pods
    /// (podSetGroupName, KEP-5439).
    bool has_leader = false;
    /// The level of the one domain that holds all pods, if there is such a domain.
    std::size_t level = 0;
    bool is_required = false;  ///< false: domains of coarser levels, then several domains, do too
    bool is_unconstrained = false;  ///< several domains of `level` do at once
    /// The domains with the least room are filled first, instead of the fewest domains (profile
    /// LeastFreeCapacity).
    bool least_room_first = false;
    bool prefers_affinity = false;  ///< gate TASRespectNodeAffinityPreferred
    /// Gate TASBalancedPlacement. Ignored if the request is required or unconstrained.
    bool prefers_balance = false;
    /// Not coarser than `level`. Pods in excess of whole slices get no domain.
    SliceLayer slices;
    /// Layers within the slices, each finer than the one before; each size divides the one before.
    std::vector<SliceLayer> inner_layers;
};

/// Pods in one leaf.
struct PlacedPods {
    DomainIndex leaf;
    std::int64_t count = 0;
    bool with_leader = false;
    friend bool operator==(const PlacedPods&, const PlacedPods&) = default;
};

/// The number of slices that would fit, for a message.
struct PlacementShortage {
    std::int64_t fitting = 0;
    std::int64_t wanted = 0;
    /// With inner layers: the slices that fit of each layer, within the domain of `level` that has
    /// room for the most.
    std::vector<std::int64_t> fitting_by_layer;
};

/// The leaves of a placement in the order of their paths, or the shortage.
struct Placement {
    std::vector<PlacedPods> leaves;
    std::optional<PlacementShortage> shortage;

    bool fits() const { return !shortage; }
};

/// Places the pods. `rooms` are those of tree.leaves(), in their order. Requires: the tree has a
/// leaf, and the request's levels exist. *Cost*: O(domains + d log d), where d are the domains that
/// are compared.
Placement place(
    const DomainTree& tree, const PlacementRequest& request, std::span<const LeafRoom> rooms
);

struct DomainCounts;
/// Places the pods by counts that count_domains() made for the request, whatever its `count`. Works
/// on the counts, and leaves them as they were. *Cost*: as above, without counting.
Placement place(
    const DomainTree& tree, const PlacementRequest& request, std::vector<DomainCounts>& counts
);

}  // namespace sluice::engine
