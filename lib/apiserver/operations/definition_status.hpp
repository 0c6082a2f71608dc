#pragma once

#include "apiserver/state/state.hpp"
#include "base/clock.hpp"

#include <string>

namespace sluice::apiserver {

/// Accepts the names of a definition and says in its status that its kinds are served, as the API
/// server's own controllers do soon after it was written. Nothing where that is said already.
void establish_definition(State& state, const std::string& name, Time now);

}  // namespace sluice::apiserver
