#pragma once

#include "api/kueue/cluster_queue.hpp"
#include "api/meta/field_error.hpp"
#include "config/feature_gates.hpp"

namespace sluice::validation {

/// Everything of a new ClusterQueue but what its CRD says.
api::FieldErrors validate(const api::ClusterQueue& queue, const config::FeatureGates& gates);

/// The same of a changed one. Checks bound to flavors that the queue never had may stay as they are
/// while the flavors do, unless gate RejectUpdatesToCQWithInvalidOnFlavors is on.
api::FieldErrors validate_update(
    const api::ClusterQueue& before,
    const api::ClusterQueue& after,
    const config::FeatureGates& gates
);

}  // namespace sluice::validation
