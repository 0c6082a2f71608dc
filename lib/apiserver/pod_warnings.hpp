#pragma once

#include "json/value.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sluice::apiserver {

/// What the API server warns of in an object of a built-in kind that has a pod or a template of
/// pods: what is valid, and yet hardly meant. `old_object`: nullptr for a new object; where an
/// update leaves the spec as it was, there is no warning, and none in any update of a Pod.
std::vector<std::string> find_pod_warnings(
    std::string_view group,
    std::string_view kind,
    const json::Value& object,
    const json::Value* old_object
);

}  // namespace sluice::apiserver
