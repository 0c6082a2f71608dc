#pragma once

#include "api/kueue/cluster_queue.hpp"
#include "api/kueue/cohort.hpp"
#include "api/kueue/local_queue.hpp"
#include "api/kueue/resource_flavor.hpp"
#include "api/meta/field_error.hpp"
#include "engine/types/objects.hpp"

#include <optional>

/// Queues and cohorts as the engine takes them.
namespace sluice::workload {

/// The first field that a validating webhook would have refused: negative quotas, duplicates,
/// limits without a parent, names that are none …
std::optional<api::FieldError> find_problem(const api::ClusterQueue& queue);
std::optional<api::FieldError> find_problem(const api::Cohort& cohort);
std::optional<api::FieldError> find_problem(const api::ResourceFlavor& flavor);

/// Likewise of what the engine could not count with; what is refused for anything else keeps
/// its quota for those that run in it and for its cohort.
std::optional<api::FieldError> find_quota_problem(const api::ClusterQueue& queue);
std::optional<api::FieldError> find_quota_problem(const api::Cohort& cohort);

/// The weight of a ClusterQueue or Cohort in fair sharing; 1 when absent.
double fair_weight(const std::optional<api::FairSharing>& fair_sharing);
/// That of a LocalQueue, which Kueue reads in another way: 0.7 is not the same double.
double local_queue_weight(const std::optional<api::FairSharing>& fair_sharing);

/// Without quota when that of the ClusterQueue or anything of the Cohort is refused; a ClusterQueue
/// of which find_problem() has something to say accepts no workloads.
engine::ClusterQueue to_engine(const api::ClusterQueue& queue, bool accepts_workloads);
engine::Cohort to_engine(const api::Cohort& cohort);
engine::LocalQueue to_engine(const api::LocalQueue& queue, engine::NamespaceMatch namespace_match);

}  // namespace sluice::workload
