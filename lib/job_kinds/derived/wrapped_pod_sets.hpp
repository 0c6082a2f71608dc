#pragma once

#include "base/error.hpp"
#include "json/value.hpp"

#include <string_view>

namespace sluice::job_kinds {

/// The pod sets of one component of an AppWrapper, each with `replicas`, `path`, `annotations` and
/// the pod `template` at its path: those that the AppWrapper controller has settled on, else those
/// that the component declares, else those of a known kind. `settled`: of the component's status,
/// or nullptr; `place`: of the component. Errors: Invalid with the place of a path that leads to no
/// pod template.
Result<json::Array> wrapped_pod_sets(
    const json::Value& component, const json::Value* settled, std::string_view place
);

}  // namespace sluice::job_kinds
