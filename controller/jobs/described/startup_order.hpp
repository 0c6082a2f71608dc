// The order in which the replicated Jobs of a JobSet start.
#pragma once

#include "job_kinds/path.hpp"
#include "json/value.hpp"

namespace sluice::controller {

/// Paths in a document with the spec of a JobSet and the statuses of its replicated Jobs.
struct JobSetPaths {
    job_kinds::Path spec;      ///< object with replicatedJobs and startupPolicy
    job_kinds::Path statuses;  ///< list of objects with name, ready, succeeded and failed
};

/// Removes the replicated Jobs that the JobSet has not started yet, with their statuses: a
/// replicated Job whose dependsOn is not met, and, if the startup policy is InOrder, each one after
/// a replicated Job that has not started. Changes nothing if no Job was started yet.
void keep_released_jobs(json::Value& document, const JobSetPaths& paths);

/// Returns true if the JobSet starts its replicated Jobs in some order.
bool has_startup_order(const json::Value& document, const JobSetPaths& paths);

}  // namespace sluice::controller
