#pragma once

#include "apiserver/request.hpp"
#include "apiserver/resource_type.hpp"

#include <string>
#include <vector>

namespace sluice::apiserver {

/// /openapi/v3 and the document of a group and version; /openapi/v2 is not there.
Response open_api(const ResourceTable& types, const std::vector<std::string>& parts);

}  // namespace sluice::apiserver
