// The built-in admission of new and changed objects, before webhooks.
#pragma once

#include "apiserver/state/state.hpp"
#include "apiserver/types/resource_type.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <string_view>

/// The admission plugins that are built into the API server. They run before webhooks.
namespace sluice::apiserver {

/// Requires that the namespace exists and accepts new objects. `name`: the name of the new object.
/// Errors: NotFound; Forbidden while the namespace is being deleted.
Result<void> admit_to_namespace(
    const State& state, const ResourceType& type, std::string_view ns, std::string_view name
);

/// Completes a new object: sets the service account, tolerations and priority of a pod, the taint
/// of a node, and the finalizer of a claim or volume. Errors: Forbidden if the service account or
/// the priority class does not exist.
Result<void> admit_new_builtin(State& state, const ResourceType& type, json::Value& object);

/// Completes an updated object.
void admit_changed_builtin(
    const ResourceType& type, std::string_view subresource, json::Value& object
);

}  // namespace sluice::apiserver
