#pragma once

#include "apiserver/state/state.hpp"
#include "apiserver/types/request.hpp"
#include "base/clock.hpp"

namespace sluice::apiserver {

/// The answer to what is created and has no form of its own.
Response make_created();

/// Evicts a pod: notes it as disrupted and deletes it. PodDisruptionBudgets are not looked at.
Response evict_pod(State& state, const Request& request, const Route& route, Time now);

}  // namespace sluice::apiserver
