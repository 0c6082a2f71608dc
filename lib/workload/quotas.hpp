#pragma once

#include "api/cluster_queue.hpp"
#include "api/cohort.hpp"
#include "api/local_queue.hpp"
#include "engine/objects.hpp"

#include <optional>
#include <string>

/// Queues and cohorts as the engine takes them.
namespace sluice::workload {

/// A field that a validating webhook would have refused, and why, as field.Error prints it.
struct FieldProblem {
    std::string field;
    std::string message;

    std::string text() const { return field + ": " + message; }
};

/// The first field that must not reach the engine: negative quotas, duplicates, limits without a
/// parent …
std::optional<FieldProblem> find_problem(const api::ClusterQueue& queue);
std::optional<FieldProblem> find_problem(const api::Cohort& cohort);

/// The weight in fair sharing; 1 when absent.
double fair_weight(const std::optional<api::FairSharing>& fair_sharing);

/// Without quota when find_problem() has something to say.
engine::ClusterQueue to_engine(const api::ClusterQueue& queue, bool accepts_workloads);
engine::Cohort to_engine(const api::Cohort& cohort);
engine::LocalQueue to_engine(const api::LocalQueue& queue, engine::NamespaceMatch namespace_match);

}  // namespace sluice::workload
