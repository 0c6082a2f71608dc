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

/// Who holds a bearer token, and tokens of service accounts (authentication.k8s.io).
namespace sluice::apiserver {

/// The answer to a TokenRequest, which asks for a token of the account that the route names.
Response answer_token_request(State& state, const Request& request, const Route& route, Time now);

/// The status of a TokenReview. Errors: BadRequest without a token.
Result<json::Value> judge_token_review(const State& state, const json::Value& review, Time now);

/// Who holds the token: its service account, while that and what the token is bound to are there.
/// `audiences`: one of them must be the token's. Errors: Invalid with the reason, "" where it is no
/// such token at all.
Result<Subject> identify_account(
    const State& state, std::string_view token, const std::vector<std::string>& audiences, Time now
);

}  // namespace sluice::apiserver
