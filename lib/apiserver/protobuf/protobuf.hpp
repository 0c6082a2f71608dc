#pragma once

#include "base/error.hpp"
#include "json/value.hpp"

#include <string_view>

namespace sluice::apiserver {

/// The object in a body of `application/vnd.kubernetes.protobuf`, as clients send Kubernetes' own
/// kinds. Fields that are not known are passed over. Errors: Invalid for bytes that are no such
/// message, and for kinds that are not in protobuf_fields.txt.
Result<json::Value> decode_protobuf(std::string_view body);

}  // namespace sluice::apiserver
