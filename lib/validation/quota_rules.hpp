// Validates the quotas of ClusterQueues and Cohorts, and Cohorts as a whole.
#pragma once

#include "api/kueue/cluster_queue.hpp"
#include "api/kueue/cohort.hpp"
#include "api/meta/field_error.hpp"

#include <optional>

/// Rules of the quotas of ClusterQueues and Cohorts.
namespace sluice::validation {

/// Return the faults that make a quota unusable for the engine: duplicates, negative quotas, limits
/// without a parent, or an invalid weight.
api::FieldErrors validate_quotas(const api::ClusterQueue& queue);
api::FieldErrors validate_quotas(const api::Cohort& cohort);

/// Validates the resource groups of a ClusterQueue: the rules of validate_quotas() except for the
/// weight, and the names of the covered resources.
api::FieldErrors validate_resource_groups(const api::ClusterQueue& queue);

/// Validates the weight in fair sharing.
api::FieldErrors validate_fair_sharing(const std::optional<api::FairSharing>& fair_sharing);

/// Validates a Cohort. Does not detect a cycle of parents, which is not a fault of a single object.
api::FieldErrors validate(const api::Cohort& cohort);

}  // namespace sluice::validation
