#include "engine/topology/domain_counts.hpp"

#include "base/assert.hpp"

#include <algorithm>
#include <limits>

namespace sluice::engine {
namespace {

std::int64_t whole(std::int64_t pods, std::int64_t size) {
    return size == 0 ? pods : pods / size * size;
}

void count_slices(DomainCounts& counts, std::int64_t size) {
    // A division takes longer than all else here.
    counts.slices = size == 1 ? counts.pods : counts.pods / size;
    counts.slices_with_leader =
        size == 1 ? counts.pods_with_leader : counts.pods_with_leader / size;
}

/// Counts a domain from its children, whose pods count only in multiples of `inner`.
DomainCounts sum_children(
    const std::vector<DomainCounts>& counts, DomainRange children, std::int64_t inner, bool leads
) {
    DomainCounts sum;
    std::int64_t fewest_pods_lost = std::numeric_limits<std::int64_t>::max();
    std::int64_t fewest_slices_lost = std::numeric_limits<std::int64_t>::max();
    bool has_place = false;
    for (std::uint32_t at = children.first; at < children.last; ++at) {
        const DomainCounts& child = counts[at];
        const std::int64_t pods = whole(child.pods, inner);
        sum.pods += pods;
        sum.slices += child.slices;
        sum.leaders = std::max(sum.leaders, child.leaders);
        sum.affinity += child.affinity;
        if (!leads || child.leaders > 0) {
            has_place = true;
            fewest_pods_lost =
                std::min(fewest_pods_lost, pods - whole(child.pods_with_leader, inner));
            fewest_slices_lost =
                std::min(fewest_slices_lost, child.slices - child.slices_with_leader);
        }
    }
    if (has_place) {
        sum.pods_with_leader = sum.pods - fewest_pods_lost;
        sum.slices_with_leader = sum.slices - fewest_slices_lost;
    }
    return sum;
}

}  // namespace

std::vector<std::int64_t> inner_sizes(const DomainTree& tree, const PlacementRequest& request) {
    std::vector<std::int64_t> sizes(tree.levels(), 0);
    std::size_t level = request.slices.level;
    for (const SliceLayer& layer : request.inner_layers) {
        for (; level < layer.level; ++level) {
            sizes[level + 1] = layer.size;
        }
    }
    return sizes;
}

std::vector<DomainCounts> count_domains(
    const DomainTree& tree, const PlacementRequest& request, std::span<const LeafRoom> rooms
) {
    std::vector<DomainCounts> counts(tree.size());
    const auto last = static_cast<std::uint32_t>(rooms.size());
    recount_leaves(tree, request, rooms, {.first = 0, .last = last}, counts);
    return counts;
}

void recount_leaves(
    const DomainTree& tree,
    const PlacementRequest& request,
    std::span<const LeafRoom> rooms,
    DomainRange leaves,
    std::vector<DomainCounts>& counts
) {
    const std::uint32_t first_leaf = tree.leaves().first;
    SLUICE_ASSERT(rooms.size() == tree.leaves().size());
    if (leaves.size() == 0) {
        return;
    }
    const auto sizes = inner_sizes(tree, request);
    for (std::uint32_t i = leaves.first; i < leaves.last; ++i) {
        DomainCounts& leaf = counts[first_leaf + i];
        leaf = {};
        leaf.pods = rooms[i].pods;
        leaf.pods_with_leader = rooms[i].pods_beside_leader;
        leaf.leaders = rooms[i].fits_leader ? 1 : 0;
        leaf.affinity = rooms[i].affinity;
        if (request.slices.level == tree.lowest_level()) {
            count_slices(leaf, request.slices.size);
        }
    }
    // Parents of neighbours are neighbours.
    DomainRange range{.first = first_leaf + leaves.first, .last = first_leaf + leaves.last};
    for (std::size_t level = tree.lowest_level(); level-- > 0;) {
        range = {
            .first = tree.parent(DomainIndex{range.first}).value,
            .last = tree.parent(DomainIndex{range.last - 1}).value + 1
        };
        for (std::uint32_t at = range.first; at < range.last; ++at) {
            counts[at] = sum_children(
                counts, tree.children(DomainIndex{at}), sizes[level + 1], request.has_leader
            );
            if (level == request.slices.level) {
                count_slices(counts[at], request.slices.size);
            }
        }
    }
}

void recount_domain(
    const DomainTree& tree,
    const PlacementRequest& request,
    std::size_t level,
    DomainIndex domain,
    std::vector<DomainCounts>& counts
) {
    const DomainRange children = tree.children(domain);
    if (children.size() > 0) {
        for (const DomainIndex child : list(children)) {
            recount_domain(tree, request, level + 1, child, counts);
        }
        counts[domain.at()] = sum_children(counts, children, 0, request.has_leader);
    }
    if (level == request.slices.level) {
        count_slices(counts[domain.at()], request.slices.size);
    }
}

}  // namespace sluice::engine
