// Strategic merge patches of the built-in kinds.
#pragma once

#include "apiserver/schema/schema.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

namespace sluice::apiserver {

/// Returns the object with a strategic merge patch applied. Lists merge by their keys as the schema
/// of a built-in kind says. Errors: Invalid, in the words of the API server, for a bad directive or
/// a list item without its merge key.
Result<json::Value> apply_strategic_merge_patch(
    const Schema& schema, const json::Value& object, const json::Value& patch
);

}  // namespace sluice::apiserver
