// Applies the patch of a request to an object.
#pragma once

#include "apiserver/operations/conformed_object.hpp"
#include "apiserver/types/request.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <string>

namespace sluice::apiserver {

/// Requires that the kind supports patches of the request's media type. Errors:
/// UnsupportedMediaType.
Result<void> check_patch_type(const Request& request, const ResourceType& type);

/// Returns the object with the request's patch applied: a JSON patch, a merge patch or, for
/// Kubernetes' own kinds, a strategic merge patch. Errors: BadRequest for a malformed patch,
/// Invalid for a patch that cannot be applied. Requires: check_patch_type() succeeded.
Result<json::Value> apply_patch(
    const Request& request, const ResourceType& type, const json::Value& live
);

/// Returns the type of the patch as the origin of its result.
Origin patch_origin(const Request& request);

/// Prints the result of a patch for a refusal: the object as JSON; for a strategic merge patch the
/// patch itself.
std::string show_patched(const Request& request, const json::Value& patched);

}  // namespace sluice::apiserver
