// Evicts pods.
#pragma once

#include "apiserver/state/state.hpp"
#include "apiserver/types/request.hpp"
#include "base/clock.hpp"

namespace sluice::apiserver {

/// Returns a Status of success with code 201, for a create whose response contains no object.
Response make_created();

/// Evicts a pod: sets its condition DisruptionTarget and deletes it. Ignores PodDisruptionBudgets.
Response evict_pod(State& state, const Request& request, const Route& route, Time now);

}  // namespace sluice::apiserver
