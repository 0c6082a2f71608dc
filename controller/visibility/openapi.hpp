// The OpenAPI documents (2.0 and 3.0) of the visibility API.
#pragma once

#include <string>
#include <string_view>

/// The documents that kube-apiserver merges into its own OpenAPI.
namespace sluice::controller {

/// Returns the OpenAPI 2.0 document with all versions, which is served at /openapi/v2.
const std::string& openapi_v2();
/// Returns the list of the OpenAPI 3.0 documents, which is served at /openapi/v3.
const std::string& openapi_v3_index();
/// Returns the OpenAPI 3.0 document that is served at
/// /openapi/v3/apis/visibility.kueue.x-k8s.io/<version>.
const std::string& openapi_v3(std::string_view version);

}  // namespace sluice::controller
