#pragma once

#include "apiserver/core.hpp"
#include "apiserver/flow.hpp"

namespace sluice::apiserver {

/// Serves the scale subresource: GET, PUT and PATCH.
Flow<Result<Response>> serve_scale(Core* core, Scope* scope);

/// Serves POST of pods/binding and bindings: puts a pod on its node.
Flow<Result<Response>> bind_pod(Core* core, Scope* scope);

/// Serves POST of pods/eviction.
Flow<Result<Response>> evict_pod(Core* core, Scope* scope);

/// Serves POST of serviceaccounts/token: a token that names the account; nobody checks it.
Flow<Result<Response>> request_token(Core* core, Scope* scope);

}  // namespace sluice::apiserver
