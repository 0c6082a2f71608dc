#pragma once

#include "apiserver/core.hpp"
#include "apiserver/flow.hpp"
#include "json/value.hpp"

#include <string>

namespace sluice::apiserver {

/// Has the webhook of a CRD convert an object to another apiVersion; what it must not change is
/// checked. Errors: InternalError in the words of the API server.
Flow<Result<json::Value>> convert_by_webhook(
    Core* core, ResourcePtr resource, json::Value object, std::string api_version
);

}  // namespace sluice::apiserver
