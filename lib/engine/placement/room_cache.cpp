#include "engine/placement/room_cache.hpp"

#include "engine/topology/flavor_topology.hpp"

#include <utility>

namespace sluice::engine {
namespace {

/// Takes the verdicts on nodes. If a leaf has several nodes, that on the first by name counts.
void apply_verdicts(
    const State& state, FlavorIndex flavor, const HostVerdicts& verdicts, LeafChoice& choice
) {
    const FlavorTopology& topology = *state.topologies().find(flavor);
    for (const auto& [host, verdict] : verdicts.hosts) {
        for (const HostPlace& place : state.host(host).places) {
            if (place.flavor != flavor || place.leaf == HostPlace::kNoLeaf ||
                !topology.is_present(place.leaf) || topology.nodes_of(place.leaf).front() != host) {
                continue;
            }
            if (verdict.refusal == HostVerdict::kAllowed) {
                choice.affinity[place.leaf] = verdict.affinity;
            } else {
                choice.allowed[place.leaf] = false;
                ++choice.refused[verdicts.refusals[verdict.refusal]];
            }
        }
    }
}

LeafChoice choose_leaves(const State& state, FlavorIndex flavor, const PodsToPlace& pods) {
    const FlavorTopology& topology = *state.topologies().find(flavor);
    LeafChoice choice{.allowed = std::vector<bool>(topology.leaves(), true)};
    for (std::uint32_t leaf = 0; leaf < topology.leaves(); ++leaf) {
        choice.allowed[leaf] = topology.is_present(leaf);
    }
    const ShapeRecord* shape = state.find_shape(pods.shape);
    if (topology.is_by_host() && shape != nullptr) {
        if (const auto at = shape->nodes.find(flavor); at != shape->nodes.end()) {
            apply_verdicts(state, flavor, *at->second, choice);
        }
    }
    if (pods.within.is_valid()) {
        for (std::uint32_t leaf = 0; leaf < topology.leaves(); ++leaf) {
            const bool is_outside =
                !topology.tree().is_within(topology.domain_of(leaf), pods.within);
            if (choice.allowed[leaf] && is_outside) {
                choice.allowed[leaf] = false;
                ++choice.outside;
            }
        }
    }
    return choice;
}

RoomRequest room_request(const PodsToPlace& pods, const LeafChoice& choice) {
    return {.pod = pods.pod, .leader = pods.leader, .allowed = choice.allowed};
}

/// Adds the preferences of the pods, which a count of rooms does not know.
void add_affinity(CountedRooms& counted) {
    for (const auto& [leaf, affinity] : counted.choice.affinity) {
        counted.rooms.leaves[leaf].affinity = affinity;
    }
}

bool are_equal(const SliceLayer& a, const SliceLayer& b) {
    return a.level == b.level && a.size == b.size;
}

}  // namespace

bool RoomCache::is_of(
    const Entry& entry, FlavorIndex flavor, const PodsToPlace& pods, const PlacementRequest& request
) {
    const PlacementRequest& known = entry.request;
    return entry.flavor == flavor && entry.pods.shape == pods.shape &&
           entry.pods.within == pods.within && entry.pods.occupancy == pods.occupancy &&
           entry.pods.pod == pods.pod && entry.pods.leader == pods.leader &&
           known.has_leader == request.has_leader &&
           known.prefers_affinity == request.prefers_affinity &&
           are_equal(known.slices, request.slices) &&
           std::equal(
               known.inner_layers.begin(),
               known.inner_layers.end(),
               request.inner_layers.begin(),
               request.inner_layers.end(),
               are_equal
           );
}

void RoomCache::update(const State& state, const LeafCapacity& capacity, Entry& entry) {
    const RoomRequest request = room_request(entry.pods, entry.counted.choice);
    const auto changed = changed_leaves(entry.seen, capacity, request);
    if (changed.empty()) {
        return;
    }
    CountedRooms& counted = entry.counted;
    for (const LeafRange& leaves : changed) {
        recount_rooms(capacity, request, leaves, counted.rooms);
    }
    if (entry.request.prefers_affinity) {
        add_affinity(counted);
    }
    const DomainTree& tree = state.topologies().find(entry.flavor)->tree();
    for (const LeafRange& leaves : changed) {
        recount_leaves(
            tree,
            entry.request,
            counted.rooms.leaves,
            {.first = static_cast<std::uint32_t>(leaves.first),
             .last = static_cast<std::uint32_t>(leaves.last)},
            counted.counts
        );
    }
    entry.seen = capacity;
}

CountedRooms& RoomCache::find(
    const State& state,
    FlavorIndex flavor,
    const LeafCapacity& capacity,
    const PodsToPlace& pods,
    const PlacementRequest& request
) {
    for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
        if (is_of(*entry, flavor, pods, request)) {
            entries_.splice(entries_.begin(), entries_, entry);
            update(state, capacity, *entry);
            return entry->counted;
        }
    }
    if (entries_.size() == kEntriesMax) {
        entries_.pop_back();
    }
    entries_.push_front(
        {.flavor = flavor, .pods = pods, .request = request, .seen = capacity, .counted = {}}
    );
    Entry& made = entries_.front();
    made.counted.choice = choose_leaves(state, flavor, pods);
    made.counted.rooms = count_rooms(capacity, room_request(pods, made.counted.choice));
    if (request.prefers_affinity) {
        add_affinity(made.counted);
    }
    const DomainTree& tree = state.topologies().find(flavor)->tree();
    made.counted.counts = count_domains(tree, request, made.counted.rooms.leaves);
    return made.counted;
}

}  // namespace sluice::engine
