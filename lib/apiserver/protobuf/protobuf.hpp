// Decodes protobuf bodies of Kubernetes' own kinds into JSON.
#pragma once

#include "base/error.hpp"
#include "json/value.hpp"

#include <string_view>

namespace sluice::apiserver {

/// Decodes the object in a body of `application/vnd.kubernetes.protobuf`, as clients send
/// Kubernetes' own kinds. Skips unknown fields. Errors: Invalid for bytes that are not such a
/// message, and for kinds that protobuf_fields.txt does not contain.
Result<json::Value> decode_protobuf(std::string_view body);

}  // namespace sluice::apiserver
