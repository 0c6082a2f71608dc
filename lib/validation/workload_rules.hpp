// Validates Workloads, new and changed, with their status.
#pragma once

#include "api/kueue/workload.hpp"
#include "api/meta/field_error.hpp"
#include "config/feature_gates.hpp"

#include <string>

namespace sluice::validation {

/// Validates a new Workload, except for the rules of its CRD.
api::FieldErrors validate(const api::Workload& workload, const config::FeatureGates& gates);

/// Validates a changed Workload with the rules of a new one, and rejects changes of immutable
/// fields: pod sets and reclaimable pods while quota is reserved, the admission, updates of checks
/// that are Ready, and gates.
api::FieldErrors validate_update(
    const api::Workload& before, const api::Workload& after, const config::FeatureGates& gates
);

/// Rejects pod-level requests of a pod spec (`path`) that are below the sum of the containers'
/// requests, as the API server does for pods.
api::FieldErrors validate_pod_level_requests(const api::PodSpec& pod, const std::string& path);

}  // namespace sluice::validation
