#pragma once

#include "apiserver/resource_type.hpp"
#include "json/value.hpp"

#include <string>
#include <vector>

namespace sluice::apiserver {

/// Adds what the API server warns of in an object of a built-in kind that has a pod or a template
/// of pods: what is valid, and yet hardly meant. `old_object`: nullptr for a new object; where an
/// update leaves the spec as it was, there is no warning, and none in any update of a Pod.
void add_pod_warnings(
    const ResourceType& type,
    const json::Value& object,
    const json::Value* old_object,
    std::vector<std::string>& warnings
);

}  // namespace sluice::apiserver
