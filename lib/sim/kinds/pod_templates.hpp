// Completes objects whose pod templates are made by the controller of their kind.
#pragma once

#include "base/error.hpp"
#include "json/value.hpp"

#include <string_view>

namespace sluice::sim {

/// Returns the object with the pod templates that the description of its kind refers to: those of
/// SparkApplications, and of the submitters of RayJobs. Objects of other kinds have them already.
/// Errors: Invalid if a template cannot be made.
Result<json::Value> with_pod_templates(std::string_view framework, const json::Value& object);

}  // namespace sluice::sim
