// Converts a pod template into the form in which a Workload stores it.
#pragma once

#include "api/core/pod.hpp"
#include "base/error.hpp"

#include <span>
#include <string_view>

namespace sluice::controller {

/// Returns a pod template as a Workload stores it: without creationTimestamp and the given labels.
/// Some lists are keyed in the Workload's schema, but not in Kubernetes': of several items with one
/// key the first is kept, but of environment variables the last, which is the one that counts.
/// Errors: Invalid if the template cannot be read.
Result<api::PodTemplateSpec> stored_template(
    const api::PodTemplateSpec& live, std::span<const std::string_view> labels_left_out
);

}  // namespace sluice::controller
