#pragma once

#include "base/error.hpp"
#include "json/value.hpp"

namespace sluice::json {

/// Applies a JSON merge patch (RFC 7386): null removes, objects merge, all else replaces.
void apply_merge_patch(Value& target, const Value& patch);

/// The smallest merge patch that turns `from` into `to`; an empty object when they are equal.
/// Members that are null in `to` cannot be expressed and are removed.
Value make_merge_patch(const Value& from, const Value& to);

/// Applies a JSON patch (RFC 6902). Errors: Invalid naming the operation that cannot be done; the
/// target is then changed in part.
Result<void> apply_json_patch(Value& target, const Array& operations);

/// The JSON patch (RFC 6902) that turns `from` into `to`: objects member by member, all else as a
/// whole; an empty list when they are equal.
Array make_json_patch(const Value& from, const Value& to);

}  // namespace sluice::json
