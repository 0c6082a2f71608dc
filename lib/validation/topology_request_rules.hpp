#pragma once

#include "api/meta/field_error.hpp"
#include "api/meta/meta.hpp"
#include "config/feature_gates.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// Rules of the topology annotations of a job's pod template (KEP-2724).
namespace sluice::validation {

/// `path`: of the template's metadata. Example: spec.template.metadata
api::FieldErrors validate_topology_annotations(
    const api::ObjectMeta& pod_template, const std::string& path, const config::FeatureGates& gates
);

/// Why no request can be made of the annotations, as Kueue says it where it says nothing else; "":
/// one can.
std::string find_request_problem(const api::ObjectMeta& pod_template);

/// Slices may not be larger than the pod set.
api::FieldErrors validate_slice_sizes(
    const api::ObjectMeta& pod_template, const std::string& path, std::int32_t pod_count
);

/// What one pod set asks of the topology.
struct PodSetTopology {
    api::ObjectMeta pod_template;
    std::string path;  ///< of the template's metadata; "": no error can name it
    std::int32_t count = 1;
};

/// Pod sets that share a group are two, one of them of a single pod, and ask for the same.
api::FieldErrors validate_pod_set_groups(const std::vector<PodSetTopology>& pod_sets);

}  // namespace sluice::validation
