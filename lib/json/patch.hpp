// JSON merge patch and JSON patch: applies patches and computes them.
#pragma once

#include "base/error.hpp"
#include "json/value.hpp"

#include <cstddef>

namespace sluice::json {

/// Applies a JSON merge patch (RFC 7386): null removes a member, objects merge, all other values
/// replace.
void apply_merge_patch(Value& target, const Value& patch);

/// Returns the smallest merge patch that turns `from` into `to`; an empty object if they are equal.
/// A merge patch cannot express a member that is null in `to`: that member is removed.
Value make_merge_patch(const Value& from, const Value& to);

/// Returns the JSON patch (RFC 6902) that turns `from` into `to`; an empty list if they are equal.
/// Objects are compared member by member, other values as a whole.
Array make_json_patch(const Value& from, const Value& to);

/// Limits of one JSON patch, as in the API server: its operations, and the bytes that its `copy`
/// operations may copy in total.
inline constexpr std::size_t kJsonPatchOperationsMax = 10000;
inline constexpr std::size_t kJsonPatchCopiedBytesMax = std::size_t{3} * 1024 * 1024;

/// Checks that a document is a JSON patch. A null patch is valid and does nothing. Errors: Invalid
/// with the API server's message; the API server answers 400.
Result<void> check_json_patch(const Value& patch);

/// Applies a JSON patch (RFC 6902) and returns the changed document. As in the API server,
/// `replace` may set a missing member, and negative list indices count from the end. Errors:
/// Invalid if an operation does not apply, a test fails or a limit is exceeded; the API server
/// answers 422. Requires: check_json_patch() succeeded.
Result<Value> apply_json_patch(Value document, const Value& patch);

}  // namespace sluice::json
