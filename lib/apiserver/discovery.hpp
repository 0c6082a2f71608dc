#pragma once

#include "apiserver/types/request.hpp"
#include "apiserver/types/resource_type.hpp"

#include <optional>

namespace sluice::apiserver {

/// /api, /apis and what is below them but no resource, /version, /openapi, /healthz and its like.
/// Nothing: the path is none of these.
std::optional<Response> discover(const ResourceTable& types, const Request& request);

}  // namespace sluice::apiserver
