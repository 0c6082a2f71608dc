// Why no queue tries a workload, or tries it only later.
#pragma once

#include "api/insight/explanation.hpp"
#include "base/clock.hpp"
#include "insight/situation.hpp"

#include <optional>
#include <string>

namespace sluice::insight {

/// Says what holds the workload back. Requires: the situation has an obstacle.
void describe_held_back(const Situation& situation, api::Explanation& made);

/// Returns since when the workload waits: its creation, or its last eviction.
std::optional<Time> waiting_since(const api::Workload& workload);

/// Returns what delays the next try of a workload that a queue has; nullopt if nothing does.
std::optional<std::string> find_delay(const api::Workload& workload, Time now);

}  // namespace sluice::insight
