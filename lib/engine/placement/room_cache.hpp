// Keeps what equal pods find on the leaves of a flavor from one placement to the next.
#pragma once

#include "engine/placement/placement_terms.hpp"
#include "engine/state/state.hpp"
#include "engine/topology/domain_counts.hpp"
#include "engine/topology/leaf_capacity.hpp"
#include "engine/types/ids.hpp"

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <vector>

namespace sluice::engine {

/// Selects the usage that a placement sees, besides pods outside quota.
enum class Occupancy : std::uint8_t {
    Present,  ///< the usage of the view
    Empty,    ///< nothing: as if no workload ran
};

/// One call of place_pods(): pods of a shape, with a leader or without.
struct PodsToPlace {
    PlacementTerms terms;
    std::int64_t count = 0;
    std::uint32_t shape = 0;
    std::vector<Request> pod;     ///< see State::node_request()
    std::vector<Request> leader;  ///< the same; empty without a leader
    /// The leaves must be within this domain; an invalid index if they may be anywhere.
    DomainIndex within;
    Occupancy occupancy = Occupancy::Present;  ///< selects what is kept, not what is free
};

/// The leaves that pods may use, and why they may not use others.
struct LeafChoice {
    std::vector<bool> allowed;  ///< by leaf
    std::map<std::uint32_t, std::int64_t> affinity;
    std::map<std::string, std::size_t> refused;
    std::size_t outside = 0;
};

/// The rooms of pods on the leaves of a flavor, and the counts of all domains.
struct CountedRooms {
    LeafChoice choice;
    Rooms rooms;
    std::vector<DomainCounts> counts;
};

/// Heads of one cycle mostly ask for equal pods, and each takes room of few leaves: the rooms of a
/// class of pods are counted once, and then only on leaves whose free amounts have changed.
/// Results do not depend on what is kept. *Lifetime*: that of a cycle, in which nodes, flavors and
/// shapes do not change. *Memory*: 100 bytes for each domain and class.
class RoomCache {
  public:
    /// Returns the rooms for the pods where `capacity` is free. `request`: resolved of the pods'
    /// terms. *Lifetime*: until the next call.
    CountedRooms& find(
        const State& state,
        FlavorIndex flavor,
        const LeafCapacity& capacity,
        const PodsToPlace& pods,
        const PlacementRequest& request
    );

  private:
    /// Classes that are kept at a time.
    static constexpr std::size_t kEntriesMax = 16;

    struct Entry {
        FlavorIndex flavor;
        PodsToPlace pods;
        PlacementRequest request;
        LeafCapacity seen;
        CountedRooms counted;
    };

    static bool is_of(
        const Entry& entry,
        FlavorIndex flavor,
        const PodsToPlace& pods,
        const PlacementRequest& request
    );
    static void update(const State& state, const LeafCapacity& capacity, Entry& entry);

    std::list<Entry> entries_;  // the last used one first
};

}  // namespace sluice::engine
