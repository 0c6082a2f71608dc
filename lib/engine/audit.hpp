#pragma once

#include "engine/state.hpp"

#include <string>
#include <vector>

namespace sluice::engine {

/// What is inconsistent in the state, a line each; empty when all is well. Only a bug in the engine
/// can make it otherwise. Cost: proportional to the state; for tests, and in production once in a
/// while.
std::vector<std::string> audit(const State& state);

}  // namespace sluice::engine
