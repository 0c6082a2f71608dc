// Routes requests to subresources and reviews.
#pragma once

#include "apiserver/operations/operation.hpp"
#include "apiserver/state/state.hpp"
#include "apiserver/types/request.hpp"
#include "base/clock.hpp"

#include <optional>

namespace sluice::apiserver {

/// Answers requests to subresources other than status: scale, binding, eviction, log, token.
/// Returns nullopt if the route names none of these.
std::optional<Answer> answer_subresource(
    State& state, const Request& request, const Route& route, Time now
);

/// Answers the creation of a kind that is not stored: a Binding or a review of tokens or access.
Response answer_review(State& state, const Request& request, const Route& route, Time now);

}  // namespace sluice::apiserver
