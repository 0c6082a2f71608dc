// The situation of a workload that only an engine's state knows, such as that of a replay.
#pragma once

#include "engine/state/state.hpp"
#include "engine/types/time.hpp"
#include "insight/situation.hpp"

#include <optional>
#include <string_view>

namespace sluice::insight {

/// Makes the situation of a workload from the state alone: with its queues, its place and its
/// quota, but without what only objects have (owners, messages, taints). Returns nullopt if the
/// state does not have it.
std::optional<Situation> situation_of_state(
    const engine::State& state, std::string_view workload, engine::Time now
);

}  // namespace sluice::insight
