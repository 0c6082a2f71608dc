#pragma once

#include "apiserver/request.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <string_view>

namespace sluice::apiserver {

/// The media type of a Content-Type header without its parameters, in lower case.
std::string media_type(std::string_view content_type);

/// The object in a request's body, JSON or YAML. Errors: BadRequest when it is none;
/// UnsupportedMediaType.
Result<json::Value> read_object(const Request& request);

/// The same of an object of that type: apiVersion and kind may be left out, and must be the type's
/// where they are there. Errors: BadRequest.
Result<json::Value> read_object_of(const Request& request, const ResourceType& type);

}  // namespace sluice::apiserver
