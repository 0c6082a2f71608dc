// Settings of the Configuration that the translation of objects and decisions depends on.
#pragma once

#include "api/meta/quantity.hpp"

#include <map>
#include <string>
#include <vector>

namespace sluice::workload {

/// Says if a resource is kept or replaced by the outputs of its transformation
/// (Configuration.resources.transformations).
enum class TransformationStrategy : std::uint8_t { Retain, Replace };

/// Turns a requested resource into others (KEP-2937).
struct Transformation {
    TransformationStrategy strategy = TransformationStrategy::Retain;
    std::string multiply_by;  ///< empty: not scaled by another resource
    api::ResourceList outputs;
};

/// The feature gates that change a translation, with upstream's defaults
/// (pkg/features/kube_features.go).
struct TranslationGates {
    bool admission_gated_by = true;
    bool priority_boost = false;
    bool priority_sorting_within_cohort = true;
    bool reclaimable_pods = true;
    bool scheduling_equivalence_hashing = true;
    bool skip_reassignment_for_pod_owned_workloads = true;
    bool tas_encode_hostname_prefixes = true;  ///< TASAssignmentsEncodingByHostnamePrefix
    bool topology_aware_scheduling = true;
    bool tas_respect_node_affinity_preferred = false;
    bool reject_workloads_with_devices = true;  ///< KueueDRARejectWorkloadsWhenDRADisabled
    bool unadmitted_workloads_observability = true;
    bool unadmitted_workloads_explicit_status = false;
};

/// Settings of the Configuration that the translation of objects and decisions depends on.
struct TranslationSettings {
    std::vector<std::string> exclude_resource_prefixes;
    std::map<std::string, Transformation, std::less<>> transformations;  ///< by input resource
    bool eviction_orders_queue = true;  ///< requeuingStrategy.timestamp is Eviction
    TranslationGates gates;
};

}  // namespace sluice::workload
