// Queues and cohorts in the form that the engine takes, with checks of their fields.
#pragma once

#include "api/kueue/cluster_queue.hpp"
#include "api/kueue/cohort.hpp"
#include "api/kueue/local_queue.hpp"
#include "api/kueue/resource_flavor.hpp"
#include "api/meta/field_error.hpp"
#include "engine/types/objects.hpp"

#include <optional>

/// Queues and cohorts in the form that the engine takes.
namespace sluice::workload {

/// Returns the first field that Kueue's validating webhook rejects, such as a negative quota, a
/// duplicate, a limit without a parent or an invalid name. Returns nullopt if the object is valid.
std::optional<api::FieldError> find_problem(const api::ClusterQueue& queue);
std::optional<api::FieldError> find_problem(const api::Cohort& cohort);
std::optional<api::FieldError> find_problem(const api::ResourceFlavor& flavor);

/// Returns the first field that makes the quota unusable for the engine. An object with other
/// faults only keeps its quota, for the workloads that run in it and for its cohort.
std::optional<api::FieldError> find_quota_problem(const api::ClusterQueue& queue);
std::optional<api::FieldError> find_quota_problem(const api::Cohort& cohort);

/// Returns the weight of a ClusterQueue or Cohort in fair sharing; 1 if absent.
double fair_weight(const std::optional<api::FairSharing>& fair_sharing);
/// Returns the weight of a LocalQueue. Kueue converts it differently: the text 0.7 gives another
/// double.
double local_queue_weight(const std::optional<api::FairSharing>& fair_sharing);

/// Return the object in the form that the engine takes. A ClusterQueue or Cohort that
/// find_quota_problem() rejects has no quota. A ClusterQueue that find_problem() rejects accepts no
/// workloads.
engine::ClusterQueue to_engine(const api::ClusterQueue& queue, bool accepts_workloads);
engine::Cohort to_engine(const api::Cohort& cohort);
engine::LocalQueue to_engine(const api::LocalQueue& queue, engine::NamespaceMatch namespace_match);

}  // namespace sluice::workload
