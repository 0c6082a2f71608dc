// The message of a podSet that got no places in a topology.
#pragma once

#include "engine/state/state.hpp"
#include "engine/types/placement_failure.hpp"

#include <string>

namespace sluice::workload {

/// Returns why the pods got no places, in Kueue's words.
std::string placement_message(const engine::State& state, const engine::PlacementFailure& failure);

}  // namespace sluice::workload
