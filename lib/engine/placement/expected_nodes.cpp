#include "engine/placement/expected_nodes.hpp"

#include "engine/placement/room_cache.hpp"
#include "engine/placement/workload_placer.hpp"
#include "engine/state/topologies_editor.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

namespace sluice::engine {
namespace {

PodsToPlace pods_without_room(const State& state, WorkloadIndex holder, const HeldNodes& nodes) {
    const PodSetRecord& pod_set = state.workload(holder).pod_sets[nodes.pod_set];
    return {
        .terms = {.request = {}, .is_implied = true},
        .count = nodes.without_room(),
        .shape = pod_set.shape,
        .pod = state.node_request(pod_set),
        .leader = {},
        .within = {},
    };
}

/// Returns the leaves for as many of the pods as have room.
std::vector<LeafPods> leaves_for(
    const State& state, RoomCache& rooms, FlavorIndex flavor, PodsToPlace pods
) {
    const FlavorTopology& topology = *state.topologies().find(flavor);
    auto found = place_pods(state, rooms, flavor, topology.free(), pods);
    if (const auto* failure = std::get_if<PlacementFailure>(&found)) {
        if (failure->fitting <= 0 || failure->fitting >= pods.count) {
            return {};
        }
        pods.count = failure->fitting;
        found = place_pods(state, rooms, flavor, topology.free(), pods);
    }
    std::vector<LeafPods> leaves;
    if (const auto* placed = std::get_if<std::vector<PlacedPods>>(&found)) {
        for (const PlacedPods& each : *placed) {
            leaves.push_back(
                {.leaf = each.leaf.value - topology.tree().leaves().first, .count = each.count}
            );
        }
    }
    return leaves;
}

/// Those that reserved quota first come first.
std::vector<WorkloadIndex> in_order(const State& state) {
    const auto& all = state.holders_without_room();
    std::vector<WorkloadIndex> holders(all.begin(), all.end());
    std::ranges::sort(holders, [&state](WorkloadIndex a, WorkloadIndex b) {
        const WorkloadRecord& first = state.workload(a);
        const WorkloadRecord& second = state.workload(b);
        const auto since = [](const WorkloadRecord& record) { return record.holding->reserved_at; };
        return since(first) != since(second) ? since(first) < since(second)
                                             : first.key() < second.key();
    });
    return holders;
}

}  // namespace

void find_expected_nodes(State& state) {
    if (!state.may_find_room()) {
        return;
    }
    TopologiesEditor topologies(state, Time());
    topologies.end_lost_room();
    if (!state.may_find_room()) {
        return;
    }
    RoomCache rooms;
    for (const WorkloadIndex holder : in_order(state)) {
        const std::size_t pod_sets = state.workload(holder).holding->placement->nodes.size();
        for (std::size_t i = 0; i < pod_sets; ++i) {
            const HeldNodes& nodes = state.workload(holder).holding->placement->nodes[i];
            if (nodes.without_room() <= 0 || state.topologies().find(nodes.flavor) == nullptr) {
                continue;
            }
            auto leaves =
                leaves_for(state, rooms, nodes.flavor, pods_without_room(state, holder, nodes));
            if (!leaves.empty()) {
                topologies.expect(holder, i, leaves);
            }
        }
    }
    topologies.end_search();
}

}  // namespace sluice::engine
