// Sets the conditions of a CustomResourceDefinition after it was written.
#pragma once

#include "apiserver/state/state.hpp"
#include "base/clock.hpp"

#include <string>

namespace sluice::apiserver {

/// Accepts the names of a definition and sets the conditions that its kinds are served, as the API
/// server's own controllers do soon after a definition is written. Does nothing if the conditions
/// are set.
void establish_definition(State& state, const std::string& name, Time now);

}  // namespace sluice::apiserver
