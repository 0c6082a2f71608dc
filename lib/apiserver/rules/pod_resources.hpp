// Reads the resources of a pod's spec and computes the amounts that quotas count.
#pragma once

#include "api/core/effective_requests.hpp"
#include "api/meta/quantity.hpp"
#include "json/value.hpp"

#include <string_view>

namespace sluice::apiserver {

/// Parses a list of amounts such as a container's requests; skips malformed amounts.
api::ResourceList read_amounts(const json::Value* list);
/// Prints a list of amounts in the form of the API.
json::Value print_amounts(const api::ResourceList& amounts);

/// Returns the resources of a pod's spec as they are written, without defaults.
api::PodResources read_pod_resources(const json::Value& spec);

/// Returns the requests or the limits of a pod (`side`: "requests" or "limits") as quotas and limit
/// ranges count them: the sum of its containers, or its largest init container if that is more; a
/// pod-level amount replaces that of its resource; plus the overhead.
api::ResourceList pod_amounts(const json::Value& pod, std::string_view side);

}  // namespace sluice::apiserver
