#pragma once

#include "apiserver/request.hpp"
#include "apiserver/state.hpp"
#include "base/clock.hpp"

namespace sluice::apiserver {

/// The answer to what is created and has no form of its own.
Response make_created();

/// Deletes a pod as far as the PodDisruptionBudgets that select it allow; one that they do not
/// allow is refused with 429.
Response evict_pod(State& state, const Request& request, const Route& route, Time now);

}  // namespace sluice::apiserver
