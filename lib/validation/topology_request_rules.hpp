// Validates the topology annotations of a job's pod template.
#pragma once

#include "api/kueue/workload.hpp"
#include "api/meta/field_error.hpp"
#include "api/meta/meta.hpp"
#include "base/error.hpp"
#include "config/feature_gates.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// Rules of the topology annotations of a job's pod template (KEP-2724).
namespace sluice::validation {

/// Reads the annotation podset-slice-required-topology-constraints: slices within slices, the outer
/// ones first. Errors: Invalid if it is not a list of objects with `topology` and `size`.
Result<std::vector<api::SliceTopologyConstraint>> parse_topology_constraints(const std::string& text
);

/// Validates the annotations of one template. `path`: the template's metadata. Example:
/// spec.template.metadata
api::FieldErrors validate_topology_annotations(
    const api::ObjectMeta& pod_template, const std::string& path, const config::FeatureGates& gates
);

/// Returns Kueue's message for annotations that no topology request can be made from, although no
/// other rule rejects them. Empty if a request can be made.
std::string find_request_problem(const api::ObjectMeta& pod_template);

/// Checks that slices are not larger than the pod set.
api::FieldErrors validate_slice_sizes(
    const api::ObjectMeta& pod_template, const std::string& path, std::int32_t pod_count
);

/// The topology annotations and the size of one pod set.
struct PodSetTopology {
    api::ObjectMeta pod_template;
    std::string path;  ///< path of the template's metadata; empty if errors cannot name it
    std::int32_t count = 1;
};

/// Validates pod set groups: a group has two pod sets with equal requests, one of them with a
/// single pod.
api::FieldErrors validate_pod_set_groups(const std::vector<PodSetTopology>& pod_sets);

}  // namespace sluice::validation
