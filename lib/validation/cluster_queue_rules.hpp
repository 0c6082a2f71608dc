// Validates ClusterQueues, new and changed.
#pragma once

#include "api/kueue/cluster_queue.hpp"
#include "api/meta/field_error.hpp"
#include "config/feature_gates.hpp"

namespace sluice::validation {

/// Validates a new ClusterQueue, except for the rules of its CRD.
api::FieldErrors validate(const api::ClusterQueue& queue, const config::FeatureGates& gates);

/// Validates a changed ClusterQueue. Admission checks for flavors that the queue never had are
/// allowed while neither they nor the flavors change, unless gate
/// RejectUpdatesToCQWithInvalidOnFlavors is on.
api::FieldErrors validate_update(
    const api::ClusterQueue& before,
    const api::ClusterQueue& after,
    const config::FeatureGates& gates
);

}  // namespace sluice::validation
