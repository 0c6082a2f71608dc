#pragma once

#include "api/meta.hpp"
#include "config/feature_gates.hpp"
#include "validation/field_error.hpp"

#include <cstdint>
#include <string>

/// Rules of the topology annotations of a job's pod template (KEP-2724).
namespace sluice::validation {

/// `path`: of the template's metadata. Example: spec.template.metadata
FieldErrors validate_topology_annotations(
    const api::ObjectMeta& pod_template, const std::string& path, const config::FeatureGates& gates
);

/// Slices may not be larger than the pod set.
FieldErrors validate_slice_sizes(
    const api::ObjectMeta& pod_template, const std::string& path, std::int32_t pod_count
);

}  // namespace sluice::validation
