// Applies RuntimeClasses to new pods.
#pragma once

#include "apiserver/state/state.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

namespace sluice::apiserver {

/// Sets the overhead, node selector and tolerations of a new pod from its RuntimeClass. Errors:
/// Forbidden if the RuntimeClass does not exist or the pod contradicts it.
Result<void> admit_runtime_class(const State& state, const ResourceType& type, json::Value& pod);

}  // namespace sluice::apiserver
