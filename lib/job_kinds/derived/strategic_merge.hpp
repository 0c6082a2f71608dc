#pragma once

#include "json/value.hpp"

namespace sluice::job_kinds {

/// Merges a patch into (a part of) a JobSet's spec as Kubernetes merges one strategically: objects
/// member by member, lists of named things by their names, other lists as a whole; null removes.
void merge_strategically(json::Value& into, const json::Value& patch);

}  // namespace sluice::job_kinds
