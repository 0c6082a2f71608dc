#pragma once

#include "api/kueue/cluster_queue.hpp"
#include "api/kueue/cohort.hpp"
#include "api/meta/field_error.hpp"

#include <optional>

/// Rules of the quotas of ClusterQueues and Cohorts.
namespace sluice::validation {

/// What the engine could not count with: duplicates, negative quotas, limits without a parent, a
/// weight that is none.
api::FieldErrors validate_quotas(const api::ClusterQueue& queue);
api::FieldErrors validate_quotas(const api::Cohort& cohort);

/// The resource groups of a ClusterQueue: of the above all but the weight, and the names of the
/// covered resources.
api::FieldErrors validate_resource_groups(const api::ClusterQueue& queue);

/// The weight.
api::FieldErrors validate_fair_sharing(const std::optional<api::FairSharing>& fair_sharing);

/// Everything of a Cohort. A cycle of parents is no fault of one object and not among it.
api::FieldErrors validate(const api::Cohort& cohort);

}  // namespace sluice::validation
