// Authenticates requests by their bearer token, and impersonates users.
#pragma once

#include "apiserver/state/state.hpp"
#include "apiserver/types/request.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "net/http/http_message.hpp"

namespace sluice::apiserver {

/// Sets the user of the request from its headers: a bearer token of the administrator or of a
/// service account, and the impersonated user (`Impersonate-User` and related headers). Errors: 401
/// for an unknown token; BadRequest for impersonation without a user name; 403 if it is not
/// allowed.
Result<void> identify(
    const State& state, const net::HttpHeaders& headers, Time now, Request& request
);

}  // namespace sluice::apiserver
