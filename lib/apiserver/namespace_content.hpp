#pragma once

#include "apiserver/state.hpp"
#include "base/clock.hpp"

#include <string>

namespace sluice::apiserver {

/// Gives a namespace what the controllers of a cluster give it: the service account `default`,
/// without which no pod is admitted.
void furnish_namespace(State& state, const std::string& ns, Time now);

}  // namespace sluice::apiserver
