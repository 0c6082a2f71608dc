// Encodes an OpenAPI v2 document in protobuf.
#pragma once

#include "json/value.hpp"

#include <string>

namespace sluice::apiserver {

/// Encodes the title and the definitions of an OpenAPI v2 document in protobuf (gnostic's
/// openapi.v2.Document), as kubectl requests it.
std::string encode_swagger(const json::Value& document);

}  // namespace sluice::apiserver
