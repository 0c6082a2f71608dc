// Packs whole pods onto nodes.
#pragma once

#include "workload/capacity/node_room.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace sluice::workload {

/// Returns how many of `count` equal pods fit on the nodes, whole pods only. *Cost*: O(nodes).
std::int64_t count_fitting(
    std::span<const NodeRoom* const> nodes, const Amounts& request, std::int64_t count
);

/// Returns how many of them would fit if no pod in quota ran. *Cost*: O(nodes).
std::int64_t count_fitting_if_empty(
    std::span<NodeRoom* const> nodes, const Amounts& request, std::int64_t count
);

/// Pods that were placed on a node.
struct PodsOnNode {
    NodeRoom* node = nullptr;
    std::int64_t pods = 0;
};

/// Places as many of `count` equal pods as fit, on the nodes with the least room first, so that
/// large pods keep theirs. Returns the number of placed pods by node. *Cost*: O(n log n).
std::vector<PodsOnNode> place_pods(
    std::span<NodeRoom* const> nodes, const Amounts& request, std::int64_t count
);

/// Returns the sum of the pods.
std::int64_t count_placed(const std::vector<PodsOnNode>& placed);

}  // namespace sluice::workload
