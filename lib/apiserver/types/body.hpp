#pragma once

#include "apiserver/types/duplicate_members.hpp"
#include "apiserver/types/request.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <string>
#include <string_view>

namespace sluice::apiserver {

/// The media type of a Content-Type header without its parameters, in lower case.
std::string media_type(std::string_view content_type);

/// An object as a request brought it.
struct Body {
    json::Value object;
    Duplicates duplicates{};
};

/// The object in a request's body, of whatever kind: JSON, YAML or protobuf. Errors: BadRequest
/// when it is none, in the words of the API server where `expected` is the kind that is asked for;
/// UnsupportedMediaType.
Result<Body> read_body(const Request& request, std::string_view expected);

/// The same of an object of that type, which has apiVersion, kind and metadata then. They may be
/// left out of Kubernetes' own kinds. Errors: BadRequest for another kind too.
Result<Body> read_body_of(const Request& request, const ResourceType& type);

/// "KIND in version "VERSION" cannot be handled as a KIND: WHY", a BadRequest.
Error cannot_be_handled(const ResourceType& type, std::string_view why);

/// Why a text is no JSON, as Go's decoder tells it.
std::string json_fault(std::string_view text);

}  // namespace sluice::apiserver
