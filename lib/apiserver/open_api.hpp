#pragma once

#include "apiserver/types/request.hpp"
#include "apiserver/types/resource_type.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sluice::apiserver {

/// /openapi/v3 and the document of a group and version; /openapi/v2, without paths, in JSON or in
/// protobuf as the client takes it.
Response open_api(
    const ResourceTable& types, const std::vector<std::string>& parts, std::string_view accept
);

}  // namespace sluice::apiserver
