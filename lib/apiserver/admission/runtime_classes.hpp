#pragma once

#include "apiserver/state/state.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

namespace sluice::apiserver {

/// Gives a new pod the overhead, node selector and tolerations of the RuntimeClass that it names.
/// Errors: Forbidden, where there is no such class or the pod says otherwise.
Result<void> admit_runtime_class(const State& state, const ResourceType& type, json::Value& pod);

}  // namespace sluice::apiserver
