// Decodes the body of a request into an object; finds duplicate fields.
#pragma once

#include "apiserver/types/duplicate_members.hpp"
#include "apiserver/types/request.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <string>
#include <string_view>

namespace sluice::apiserver {

/// Returns the media type of a Content-Type header without its parameters, in lower case.
std::string media_type(std::string_view content_type);

/// The object in the body of a request, and the fields that it contains more than once.
struct Body {
    json::Value object;
    Duplicates duplicates{};
};

/// Decodes the object in a request's body, of any kind, from JSON, YAML or protobuf. `expected`:
/// the kind that the request expects, for messages. Errors: BadRequest, in the words of the API
/// server, if the body is not an object; UnsupportedMediaType.
Result<Body> read_body(const Request& request, std::string_view expected);

/// Decodes an object of that type and sets its apiVersion, kind and metadata. The body may omit
/// them for Kubernetes' own kinds. Errors: as above, and BadRequest for another kind.
Result<Body> read_body_of(const Request& request, const ResourceType& type);

/// Returns a BadRequest: "KIND in version "VERSION" cannot be handled as a KIND: WHY".
Error cannot_be_handled(const ResourceType& type, std::string_view why);

/// Returns the reason why a text is not JSON, in the words of Go's decoder.
std::string json_fault(std::string_view text);

}  // namespace sluice::apiserver
