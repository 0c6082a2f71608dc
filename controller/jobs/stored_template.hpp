#pragma once

#include "api/pod.hpp"
#include "base/error.hpp"

#include <span>
#include <string_view>

namespace sluice::controller {

/// A pod template as a Workload stores it: without creationTimestamp and the given labels; of
/// environment variables with the same name only the last counts, as the Workload's list is keyed
/// by name. Errors: Invalid when the template cannot be read.
Result<api::PodTemplateSpec> stored_template(
    const api::PodTemplateSpec& live, std::span<const std::string_view> labels_left_out
);

}  // namespace sluice::controller
