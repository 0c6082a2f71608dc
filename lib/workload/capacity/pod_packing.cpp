#include "workload/capacity/pod_packing.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace sluice::workload {

std::int64_t count_fitting(
    std::span<const NodeRoom* const> nodes, const Amounts& request, std::int64_t count
) {
    std::int64_t left = count;
    for (const NodeRoom* node : nodes) {
        left -= std::min(left, node->fitting(request));
    }
    return count - left;
}

std::int64_t count_fitting_if_empty(
    std::span<NodeRoom* const> nodes, const Amounts& request, std::int64_t count
) {
    std::int64_t left = count;
    for (const NodeRoom* room : nodes) {
        if (left == 0) {
            break;
        }
        left -= std::min(left, room->fitting_if_empty(request));
    }
    return count - left;
}

std::vector<PodsOnNode> place_pods(
    std::span<NodeRoom* const> nodes, const Amounts& request, std::int64_t count
) {
    std::vector<std::pair<std::int64_t, NodeRoom*>> rooms;
    rooms.reserve(nodes.size());
    for (NodeRoom* node : nodes) {
        if (const std::int64_t room = node->fitting(request); room > 0) {
            rooms.emplace_back(room, node);
        }
    }
    std::ranges::stable_sort(rooms, {}, [](const auto& entry) { return entry.first; });
    std::vector<PodsOnNode> placed;
    std::int64_t left = count;
    for (const auto& [room, node] : rooms) {
        if (left <= 0) {
            break;
        }
        const std::int64_t pods = std::min(left, room);
        add_amounts(node->ours, request, pods);
        placed.push_back({.node = node, .pods = pods});
        left -= pods;
    }
    return placed;
}

std::int64_t count_placed(const std::vector<PodsOnNode>& placed) {
    std::int64_t sum = 0;
    for (const PodsOnNode& each : placed) {
        sum += each.pods;
    }
    return sum;
}

}  // namespace sluice::workload
