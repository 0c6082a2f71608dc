#pragma once

#include "base/error.hpp"
#include "cel/values/value.hpp"
#include "json/value.hpp"

namespace sluice::cel {

/// The value as a document has it: times and durations as texts, bytes in base64, keys of maps as
/// texts. Errors: Invalid, of a value that JSON has nothing for.
Result<json::Value> to_json(const Value& value);

}  // namespace sluice::cel
