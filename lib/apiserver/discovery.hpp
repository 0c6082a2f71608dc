// Answers discovery requests, and those for the version, OpenAPI documents and health.
#pragma once

#include "apiserver/types/request.hpp"
#include "apiserver/types/resource_type.hpp"

#include <optional>

namespace sluice::apiserver {

/// Answers /api, /apis and the paths below them that do not name a resource, /version, /openapi,
/// /healthz, /livez and /readyz. Returns nullopt for any other path.
std::optional<Response> discover(const ResourceTable& types, const Request& request);

}  // namespace sluice::apiserver
