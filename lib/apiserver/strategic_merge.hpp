#pragma once

#include "base/error.hpp"
#include "json/value.hpp"

namespace sluice::apiserver {

/// Applies a strategic merge patch to an object of Kubernetes' own kinds: lists of objects that
/// have a merge key are merged by it; `$patch`, `$retainKeys`, `$deleteFromPrimitiveList` and
/// `$setElementOrder` are obeyed. Errors: Invalid for a directive that is none.
Result<void> apply_strategic_merge_patch(json::Value& target, const json::Value& patch);

}  // namespace sluice::apiserver
