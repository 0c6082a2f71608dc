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
inline constexpr std::size_t kJsonPatchOperationsMax = 10000;
inline constexpr std::size_t kJsonPatchCopiedBytesMax = std::size_t{3} * 1024 * 1024;

/// Whether a document is a JSON patch at all; null is one that does nothing. Errors: Invalid in the
/// words of the API server, which answers 400.
Result<void> check_json_patch(const Value& patch);

/// The document with a JSON patch (RFC 6902) applied. As in the API server, `replace` may set a
/// member that is not there, and places in lists may count from the end. Errors: Invalid for an
/// operation that does not apply, a failed test and an exceeded limit; the API server answers 422.
/// Requires: check_json_patch.
Result<Value> apply_json_patch(Value document, const Value& patch);

}  // namespace sluice::json
