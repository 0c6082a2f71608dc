// Finds places for the pods of a failed node (KEP-2724).
#pragma once

#include "engine/placement/workload_placer.hpp"

#include <variant>

namespace sluice::engine {

/// The topology of a podSet with the pods of a failed node elsewhere.
struct Replacement {
    std::vector<LeafPods> all;        ///< the leaves of all pods, in the order of their paths
    std::vector<LeafPods> replacing;  ///< the leaves of the pods that were on the failed node
};

/// Places the pods of the failed node `node`, which is the name of a domain of `topology`. They
/// stay in the domain that the podSet requires, and complete the slice that they were part of.
/// `pods` are the podSet's, whose count and confinement do not matter.
std::variant<Replacement, PlacementFailure> find_replacement(
    const State& state,
    RoomCache& rooms,
    const HeldTopology& topology,
    const std::string& node,
    const LeafCapacity& capacity,
    PodsToPlace pods
);

}  // namespace sluice::engine
