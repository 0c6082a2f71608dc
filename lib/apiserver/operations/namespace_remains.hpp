#pragma once

#include "apiserver/state/state.hpp"
#include "base/clock.hpp"

#include <string>

namespace sluice::apiserver {

/// Says in the conditions of a namespace that ends what it waits for, as the namespace controller
/// does.
void tell_remaining_content(State& state, const std::string& ns, Time now);

}  // namespace sluice::apiserver
