// TokenRequests, TokenReviews and the authentication of service accounts by their tokens.
#pragma once

#include "apiserver/access/access.hpp"
#include "apiserver/state/state.hpp"
#include "apiserver/types/request.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <string>
#include <string_view>
#include <vector>

/// Issues and verifies tokens of service accounts (authentication.k8s.io).
namespace sluice::apiserver {

/// Answers a TokenRequest for the service account that the route names.
Response answer_token_request(State& state, const Request& request, const Route& route, Time now);

/// Returns the status of a TokenReview. Errors: BadRequest if it contains no token.
Result<json::Value> judge_token_review(const State& state, const json::Value& review, Time now);

/// Returns the service account that holds the token. The account and the objects that the token is
/// bound to must exist. `audiences`: at least one of them must be an audience of the token. Errors:
/// Invalid with the reason, "" if the text is not a token of this server.
Result<Subject> identify_account(
    const State& state, std::string_view token, const std::vector<std::string>& audiences, Time now
);

}  // namespace sluice::apiserver
