// Saves a state as bytes, and loads it.
#pragma once

#include "engine/state/state.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace sluice::engine {

/// Returns the state as bytes; states of the same history give the same bytes. *Cost*: proportional
/// to the state. Requires: no cycle is running.
std::string save(const State& state);

/// Returns the state that was saved. It makes the same decisions and is saved as the same bytes.
/// Returns nullopt if the bytes are damaged or were saved in another format. The format changes
/// with the members of the state; older formats are not converted.
std::optional<State> load(std::string_view bytes);

}  // namespace sluice::engine
