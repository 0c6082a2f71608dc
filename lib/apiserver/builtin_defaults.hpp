#pragma once

#include "apiserver/resource_type.hpp"
#include "apiserver/state.hpp"
#include "json/value.hpp"

namespace sluice::apiserver {

/// Fills in what the API server fills in of Kubernetes' own kinds, on every write.
void apply_builtin_defaults(const ResourceType& type, json::Value& object);

/// What it fills in or derives when an object is created: selectors of Jobs, the phase of a pod, a
/// pod's priority from its class. Errors: Forbidden when the class is missing.
Result<void> prepare_new_builtin(const State& state, const ResourceType& type, json::Value& object);

/// The causes for which a new or changed object is refused. `before`: null for a new one.
std::vector<Cause> validate_builtin(
    const ResourceType& type, const json::Value& object, const json::Value& before
);

}  // namespace sluice::apiserver
