#pragma once

#include "apiserver/request.hpp"
#include "apiserver/state.hpp"
#include "base/clock.hpp"

#include <optional>

namespace sluice::apiserver {

/// Requests to parts of an object that are no status: scale, binding, eviction, log, token.
/// Nothing: the route names none of these.
std::optional<Response> answer_subresource(
    State& state, const Request& request, const Route& route, Time now
);

/// The answer to a review, which is created and not stored: every right is granted to who has come
/// in.
Response answer_review(const Request& request, const Route& route, Time now);

}  // namespace sluice::apiserver
