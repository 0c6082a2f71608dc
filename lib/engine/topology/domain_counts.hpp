// Counts of the pods that fit in each domain.
#pragma once

#include "engine/topology/domain_tree.hpp"
#include "engine/topology/placement.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace sluice::engine {

/// The unit that a placement distributes: whole slices, or pods.
enum class PlacementUnit : std::uint8_t { Slices, Pods };

/// Pods and slices of one domain: first those that fit, then those that are placed.
struct DomainCounts {
    std::int64_t pods = 0;
    std::int64_t pods_with_leader = 0;    ///< pods that fit next to the leader
    std::int64_t slices = 0;              ///< 0 below the level of the slices
    std::int64_t slices_with_leader = 0;  ///< 0 below the level of the slices
    std::int64_t leaders = 0;             ///< 1 if the leader fits somewhere
    std::int64_t affinity = 0;

    std::int64_t of(PlacementUnit unit) const {
        return unit == PlacementUnit::Slices ? slices : pods;
    }
    std::int64_t with_leader_of(PlacementUnit unit) const {
        return unit == PlacementUnit::Slices ? slices_with_leader : pods_with_leader;
    }
    /// Sets what is placed, in units of `size` pods.
    void set_placed(std::int64_t units, std::int64_t size, std::int64_t leader) {
        slices = units;
        pods = units * size;
        leaders = leader;
    }
};

/// Returns for each level the size of the inner slices whose pods a domain of that level holds
/// whole; 0 for a level without. The levels between two layers have the size of the finer one.
std::vector<std::int64_t> inner_sizes(const DomainTree& tree, const PlacementRequest& request);

/// Counts the pods and slices that fit in each domain, by domain. A domain has as many pods as its
/// children, without incomplete inner slices. With the leader it has fewer by as many as the child
/// loses that loses least.
std::vector<DomainCounts> count_domains(
    const DomainTree& tree, const PlacementRequest& request, std::span<const LeafRoom> rooms
);

/// Counts the domains of some leaves again, and the domains above them. `leaves`: a range of
/// tree.leaves(), counted from its first one; `rooms`: of all leaves. Requires: `counts` are of the
/// same request.
void recount_leaves(
    const DomainTree& tree,
    const PlacementRequest& request,
    std::span<const LeafRoom> rooms,
    DomainRange leaves,
    std::vector<DomainCounts>& counts
);

/// Counts a domain of that level and those below it again from its leaves, without inner slices.
void recount_domain(
    const DomainTree& tree,
    const PlacementRequest& request,
    std::size_t level,
    DomainIndex domain,
    std::vector<DomainCounts>& counts
);

}  // namespace sluice::engine
