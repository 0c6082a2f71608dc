#pragma once

#include "apiserver/resource.hpp"
#include "json/value.hpp"

namespace sluice::apiserver {

/// The resource that a CRD describes. Of `previous` (may be nullptr) compiled schemas are kept
/// where they are the same. Errors: Invalid for a schema that cannot be compiled.
Result<Resource> make_crd_resource(const json::Value& crd, const ResourcePtr& previous);

}  // namespace sluice::apiserver
