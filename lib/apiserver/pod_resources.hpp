#pragma once

#include "api/quantity.hpp"
#include "json/value.hpp"

#include <string_view>

namespace sluice::apiserver {

/// The amounts of a list such as a container's requests; what is no amount is left out.
api::ResourceList read_amounts(const json::Value* list);
/// The same as it is written.
json::Value print_amounts(const api::ResourceList& amounts);

/// What a pod asks for (`side` requests) or may use at most (limits), as quotas and limit ranges
/// count it: its containers together, or its largest init container where that is more, and its
/// overhead.
api::ResourceList pod_amounts(const json::Value& pod, std::string_view side);

}  // namespace sluice::apiserver
