#pragma once

#include "json/value.hpp"

#include <string>

namespace sluice::apiserver {

/// A document of OpenAPI v2 in protobuf (gnostic's openapi.v2.Document), as kubectl asks for it:
/// its title and its definitions.
std::string encode_swagger(const json::Value& document);

}  // namespace sluice::apiserver
