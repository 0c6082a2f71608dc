#pragma once

#include "api/kueue/workload.hpp"
#include "api/meta/field_error.hpp"
#include "config/feature_gates.hpp"

#include <string>

namespace sluice::validation {

/// Everything of a new Workload but what its CRD says.
api::FieldErrors validate(const api::Workload& workload, const config::FeatureGates& gates);

/// The same of a changed one, and what may not change: pod sets and reclaimable pods while quota is
/// reserved, the admission, updates of checks that are Ready, gates.
api::FieldErrors validate_update(
    const api::Workload& before, const api::Workload& after, const config::FeatureGates& gates
);

/// Refuses pod-level requests of a pod spec (`path`) that are below the sum of the containers', as
/// the API server does for pods.
api::FieldErrors validate_pod_level_requests(const api::PodSpec& pod, const std::string& path);

}  // namespace sluice::validation
