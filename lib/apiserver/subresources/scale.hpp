#pragma once

#include "apiserver/operations/operation.hpp"
#include "apiserver/state/state.hpp"
#include "apiserver/types/request.hpp"

namespace sluice::apiserver {

/// Answers a request to the scale of an object. A change asks the webhooks that convert the object.
/// Lifetime: the state must outlive the answer.
Answer answer_scale(State& state, const Request& request, const Route& route);

}  // namespace sluice::apiserver
