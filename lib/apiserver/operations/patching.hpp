#pragma once

#include "apiserver/operations/conformed_object.hpp"
#include "apiserver/types/request.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <string>

namespace sluice::apiserver {

/// Whether a kind takes patches of the request's media type. Errors: UnsupportedMediaType.
Result<void> check_patch_type(const Request& request, const ResourceType& type);

/// The object with the request's patch applied: a JSON patch, a merge patch, or, of Kubernetes' own
/// kinds, a strategic merge patch. Errors: BadRequest for what is no patch; Invalid for one that
/// does not apply. Requires: check_patch_type.
Result<json::Value> apply_patch(
    const Request& request, const ResourceType& type, const json::Value& live
);

/// Which kind of patch it is, as conforming its result needs to know.
Origin patch_origin(const Request& request);

/// What a patch made of an object, as a refusal shows it: the object as JSON, of a strategic merge
/// patch the patch itself.
std::string show_patched(const Request& request, const json::Value& patched);

}  // namespace sluice::apiserver
