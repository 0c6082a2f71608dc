#pragma once

#include "apiserver/state/state.hpp"
#include "apiserver/types/request.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "net/http/http_message.hpp"

namespace sluice::apiserver {

/// Writes into the request who sends it, by its headers: a bearer token of the administrator or of
/// a service account, and whom they impersonate (`Impersonate-User` and its kin). Errors: 401 for a
/// token of nobody; BadRequest for impersonation without a name; 403 where it is not allowed.
Result<void> identify(
    const State& state, const net::HttpHeaders& headers, Time now, Request& request
);

}  // namespace sluice::apiserver
