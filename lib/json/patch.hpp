#pragma once

#include "base/error.hpp"
#include "json/value.hpp"

#include <cstddef>

namespace sluice::json {

/// Applies a JSON merge patch (RFC 7386): null removes, objects merge, all else replaces.
void apply_merge_patch(Value& target, const Value& patch);

/// The smallest merge patch that turns `from` into `to`; an empty object when they are equal.
/// Members that are null in `to` cannot be expressed and are removed.
Value make_merge_patch(const Value& from, const Value& to);

/// The JSON patch (RFC 6902) that turns `from` into `to`: objects member by member, all else as a
/// whole; an empty list when they are equal.
Array make_json_patch(const Value& from, const Value& to);

/// What applying a JSON patch may at most do, as the API server bounds it.
struct JsonPatchLimits {
    std::size_t operations = 10000;
    std::size_t copied_bytes = std::size_t{3} * 1024 * 1024;
};

/// The document with a JSON patch (RFC 6902) applied: add, remove, replace, move, copy, test.
/// Errors in the words of the API server: Invalid for a malformed patch, an operation that does not
/// apply or a failed test.
Result<Value> apply_json_patch(
    Value document, const Value& patch, const JsonPatchLimits& limits = {}
);

}  // namespace sluice::json
