#pragma once

#include "api/core/pod.hpp"
#include "base/error.hpp"

#include <span>
#include <string_view>

namespace sluice::controller {

/// Returns a pod template as a Workload stores it: without creationTimestamp and the given labels.
/// In each list that the Workload's schema tells apart by keys, and Kubernetes does not, the first
/// item of a key is kept; of environment variables the last one, which counts. Errors: Invalid if
/// the template cannot be read.
Result<api::PodTemplateSpec> stored_template(
    const api::PodTemplateSpec& live, std::span<const std::string_view> labels_left_out
);

}  // namespace sluice::controller
