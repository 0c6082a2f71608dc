// Evicts pods from nodes with NoExecute taints.
#pragma once

#include "base/clock.hpp"
#include "json/value.hpp"
#include "sim/objects/pace.hpp"
#include "sim/objects/write.hpp"

#include <optional>

namespace sluice::sim {

/// Returns true if the node has taints with effect NoExecute, which pods must tolerate to stay.
bool has_evicting_taints(const json::Value& node);

/// Returns the time at which a pod leaves its node because of such taints: `since` if it does not
/// tolerate all of them, or after the smallest of its `tolerationSeconds`. Returns nullopt if it
/// may stay. `since`: when it was first found on a node with such taints.
std::optional<Time> find_eviction(
    const json::Value& pod, const json::Value& node, Time since, const Pace& pace
);

/// Returns the writes of the taint eviction controller for a pod that leaves.
Outcome evict_for_taint(const json::Value& pod, Time now);

}  // namespace sluice::sim
