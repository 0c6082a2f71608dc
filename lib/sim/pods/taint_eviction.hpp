#pragma once

#include "base/clock.hpp"
#include "json/value.hpp"
#include "sim/objects/pace.hpp"
#include "sim/objects/write.hpp"

#include <optional>

namespace sluice::sim {

/// Whether the node has taints with the effect NoExecute, which pods must tolerate to stay.
bool has_evicting_taints(const json::Value& node);

/// When a pod leaves its node for such taints: at once where it does not tolerate all of them, else
/// after the least of its `tolerationSeconds`; none: it may stay. `since`: when it was first found
/// under them.
std::optional<Time> find_eviction(
    const json::Value& pod, const json::Value& node, Time since, const Pace& pace
);

/// What the taint eviction controller writes of a pod that leaves.
Outcome evict_for_taint(const json::Value& pod, Time now);

}  // namespace sluice::sim
