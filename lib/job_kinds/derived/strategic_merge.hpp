// Merges a patch into a JobSet like Kubernetes' strategic merge.
#pragma once

#include "json/value.hpp"

namespace sluice::job_kinds {

/// Merges a patch into the spec of a JobSet, or a part of it, like a strategic merge patch of
/// Kubernetes: objects by member, lists of named items by name, other lists as a whole. A null
/// removes the member.
void merge_strategically(json::Value& into, const json::Value& patch);

}  // namespace sluice::job_kinds
