// Spreads the pods of a podSet evenly over as few domains as possible.
#pragma once

#include "engine/topology/domain_counts.hpp"
#include "engine/topology/domain_tree.hpp"
#include "engine/topology/placement.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace sluice::engine {

/// Domains of one level with what is placed in each, and the counts below them.
struct BalancedDomains {
    std::size_t level = 0;
    std::vector<DomainIndex> domains;
    std::vector<DomainCounts> counts;
};

/// Chooses domains below one parent of the requested level, so that each gets at least as many
/// slices as possible, and of those choices one with few domains (gate TASBalancedPlacement). Their
/// level is the requested one, or the next finer one if that is not below the slices. Returns
/// nullopt if the slices cannot be spread so. *Cost*: O(k x domains x slices), where k is the
/// number of domains that are needed.
std::optional<BalancedDomains> balance(
    const DomainTree& tree, const PlacementRequest& request, const std::vector<DomainCounts>& counts
);

}  // namespace sluice::engine
