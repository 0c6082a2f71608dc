// Converts CEL values to JSON.
#pragma once

#include "base/error.hpp"
#include "cel/values/value.hpp"
#include "json/value.hpp"

namespace sluice::cel {

/// Converts a value to JSON: times and durations become strings, bytes base64, map keys strings.
/// Errors: Invalid for a value that JSON cannot represent.
Result<json::Value> to_json(const Value& value);

}  // namespace sluice::cel
