#pragma once

#include "apiserver/state/state.hpp"
#include "apiserver/types/resource_type.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <string_view>

/// What is built into the API server to stand between a request and the store, before webhooks.
namespace sluice::apiserver {

/// Whether the namespace takes new objects. `name`: of the new object. Errors: NotFound, Forbidden
/// while it is being deleted.
Result<void> admit_to_namespace(
    const State& state, const ResourceType& type, std::string_view ns, std::string_view name
);

/// Completes a new object: of a pod service account, tolerations and priority; of a node its taint;
/// of claims and volumes their finalizer.
/// Errors: Forbidden when the service account or the priority class is not there.
Result<void> admit_new_builtin(State& state, const ResourceType& type, json::Value& object);

/// Completes a changed object.
void admit_changed_builtin(
    const ResourceType& type, std::string_view subresource, json::Value& object
);

}  // namespace sluice::apiserver
