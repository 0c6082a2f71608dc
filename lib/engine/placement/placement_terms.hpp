// Resolves what a podSet asks of a topology in the topology of a flavor.
#pragma once

#include "engine/topology/flavor_topology.hpp"
#include "engine/topology/placement.hpp"
#include "engine/types/options.hpp"
#include "engine/types/placement_failure.hpp"
#include "engine/types/topology_objects.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace sluice::engine {

/// A podSet's wishes for a topology. `is_implied`: it has none, but its ClusterQueue has only
/// flavors with topologies.
struct PlacementTerms {
    TopologyRequest request;
    bool is_implied = false;

    /// Returns true if slices alone name a level: then they may be anywhere.
    bool is_of_slices_alone() const {
        return !request.required && !request.preferred && !request.slices.empty();
    }
    /// Returns the level of the one domain that shall hold all pods; nullopt without one.
    std::optional<std::string> level_in(const FlavorTopology& topology) const;
    /// Returns true if the pods may run in several domains of that level.
    bool is_unconstrained() const {
        return request.unconstrained || is_implied || is_of_slices_alone();
    }
};

/// Returns the request with levels as positions in the topology, or why the topology has no such
/// levels. Requires: the topology has at least one level.
std::variant<PlacementRequest, PlacementFailure> resolve(
    const PlacementTerms& terms,
    const FlavorTopology& topology,
    const Gates& gates,
    std::int64_t count,
    bool has_leader
);

}  // namespace sluice::engine
