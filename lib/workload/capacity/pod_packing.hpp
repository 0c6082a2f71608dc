// Packs whole pods onto nodes.
#pragma once

#include "workload/capacity/node_room.hpp"

#include <cstdint>
#include <span>

namespace sluice::workload {

/// Returns how many of `count` equal pods fit on the nodes, whole pods only. *Cost*: O(nodes).
std::int64_t count_fitting(
    std::span<const NodeRoom* const> nodes, const Amounts& request, std::int64_t count
);

/// Places as many of `count` equal pods as fit, on the nodes with the least room first, so that
/// large pods keep theirs. Returns the number of placed pods. *Cost*: O(n log n).
std::int64_t place_pods(
    std::span<NodeRoom* const> nodes, const Amounts& request, std::int64_t count
);

}  // namespace sluice::workload
