// The free resources of the leaves of a topology, and the pods that fit in them.
#pragma once

#include "base/cow.hpp"
#include "engine/names/pod_sets.hpp"
#include "engine/topology/placement.hpp"
#include "engine/types/amount.hpp"
#include "engine/types/ids.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace sluice::engine {

/// The resources that are free in each leaf: those of its nodes, less those that pods use. Leaves
/// are counted from 0, in the order of DomainTree::leaves(). A copy is a view of its own with
/// assumed changes. *Cost*: of a copy, a reference for 256 leaves of a resource; of the first
/// change after it, a copy of those 256.
class LeafCapacity {
  public:
    explicit LeafCapacity(std::size_t leaves) : leaves_(leaves) {}

    std::size_t leaves() const { return leaves_; }
    /// Makes `times` the amounts free.
    void add(std::size_t leaf, std::span<const Request> amounts, std::int64_t times = 1);
    /// Takes `times` the amounts. Free amounts may become negative.
    void take(std::size_t leaf, std::span<const Request> amounts, std::int64_t times = 1);
    /// Returns 0 for a resource that the leaf lacks.
    Amount free(std::size_t leaf, ResourceIndex resource) const;

    /// Leaves whose amounts are copied together.
    static constexpr std::size_t kChunk = 256;
    /// The free amounts of one resource, by leaf.
    using Column = CowVector<Amount, kChunk>;
    /// Returns nullptr for a resource that no leaf has. *Lifetime*: until a change.
    const Column* find(ResourceIndex resource) const;

  private:
    Column& column(ResourceIndex resource);

    std::size_t leaves_;
    std::map<ResourceIndex, Column> free_;
};

/// The requests of one pod and of its leader.
struct RoomRequest {
    /// Sorted by the name of the resource, with a request of 1 for `pods`.
    std::span<const Request> pod;
    std::span<const Request> leader;  ///< the same; empty without a leader
    /// The leaves that pods may run on, by leaf; empty if they may run on all.
    std::vector<bool> allowed;
};

/// Some leaves in a row, counted from 0.
struct LeafRange {
    std::size_t first = 0;
    std::size_t last = 0;  ///< exclusive
    friend bool operator==(const LeafRange&, const LeafRange&) = default;
};

/// The pods that fit in each leaf.
struct Rooms {
    std::vector<LeafRoom> leaves;
    /// By leaf, the resource for lack of which no pod fits: the scarcest one, the first by name
    /// among equals. An invalid index for leaves with room, and for those that are not allowed.
    std::vector<ResourceIndex> scarcest;

    /// Returns, by resource, the number of leaves that lack it.
    std::map<ResourceIndex, std::size_t> lacking() const;
};

/// Counts the pods that fit in each leaf. A request of 0 fits everywhere.
Rooms count_rooms(const LeafCapacity& capacity, const RoomRequest& request);
/// Counts some leaves again. Requires: `rooms` are of the same request and as many leaves.
void recount_rooms(
    const LeafCapacity& capacity, const RoomRequest& request, LeafRange leaves, Rooms& rooms
);

/// Returns the leaves whose free amounts of the requested resources may differ, in ranges of whole
/// chunks. *Cost*: O(leaves / kChunk). Requires: both have as many leaves.
std::vector<LeafRange> changed_leaves(
    const LeafCapacity& before, const LeafCapacity& after, const RoomRequest& request
);

}  // namespace sluice::engine
