// Reads and changes the scale of an object.
#pragma once

#include "apiserver/operations/operation.hpp"
#include "apiserver/state/state.hpp"
#include "apiserver/types/request.hpp"

namespace sluice::apiserver {

/// Answers a request to the scale of an object. A change calls the conversion webhooks of the
/// object, but no admission webhooks. Lifetime: the state must outlive the answer.
Answer answer_scale(State& state, const Request& request, const Route& route);

}  // namespace sluice::apiserver
