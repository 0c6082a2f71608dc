// Derives the pod sets of the objects that an AppWrapper wraps.
#pragma once

#include "base/error.hpp"
#include "json/value.hpp"

#include <string_view>

namespace sluice::job_kinds {

/// Returns the pod sets of one component of an AppWrapper, each with `replicas`, `path`,
/// `annotations` and the pod `template` at its path. The first that exist are taken: the pod sets
/// in the component's status (`settled`, or nullptr), those that the component declares, or those
/// of a known kind. `place`: the path of the component, for errors. Errors: Invalid with the place
/// of a path that does not lead to a pod template.
Result<json::Array> wrapped_pod_sets(
    const json::Value& component, const json::Value* settled, std::string_view place
);

}  // namespace sluice::job_kinds
