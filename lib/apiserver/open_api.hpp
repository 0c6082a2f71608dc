// Answers requests for OpenAPI documents.
#pragma once

#include "apiserver/types/request.hpp"
#include "apiserver/types/resource_type.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sluice::apiserver {

/// Answers /openapi/v3, its documents of group versions, and /openapi/v2, which has no paths and is
/// in JSON or protobuf, whichever the client accepts.
Response open_api(
    const ResourceTable& types, const std::vector<std::string>& parts, std::string_view accept
);

}  // namespace sluice::apiserver
