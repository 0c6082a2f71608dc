#pragma once

#include "apiserver/operations/operation.hpp"
#include "apiserver/state/state.hpp"
#include "apiserver/types/request.hpp"
#include "base/clock.hpp"

#include <optional>

namespace sluice::apiserver {

/// Requests to parts of an object that are no status: scale, binding, eviction, log, token.
/// Nothing: the route names none of these.
std::optional<Answer> answer_subresource(
    State& state, const Request& request, const Route& route, Time now
);

/// The answer to what is created and not stored: a Binding, or a review, which grants every right
/// to who has come in.
Response answer_review(State& state, const Request& request, const Route& route, Time now);

}  // namespace sluice::apiserver
