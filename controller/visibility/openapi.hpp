#pragma once

#include <string>
#include <string_view>

/// The OpenAPI documents of the visibility API, which the API server takes into its own.
namespace sluice::controller {

/// OpenAPI 2.0 with all versions: what is at /openapi/v2.
const std::string& openapi_v2();
/// Which documents of OpenAPI 3.0 there are: what is at /openapi/v3.
const std::string& openapi_v3_index();
/// OpenAPI 3.0 of a version: what is at /openapi/v3/apis/visibility.kueue.x-k8s.io/<version>.
const std::string& openapi_v3(std::string_view version);

}  // namespace sluice::controller
