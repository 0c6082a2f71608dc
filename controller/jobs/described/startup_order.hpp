#pragma once

#include "job_kinds/path.hpp"
#include "json/value.hpp"

namespace sluice::controller {

/// Paths in a document that holds the spec of a JobSet and the statuses of its replicated Jobs.
struct JobSetPaths {
    job_kinds::Path spec;      ///< with replicatedJobs and startupPolicy
    job_kinds::Path statuses;  ///< the list of name, ready, succeeded and failed
};

/// Removes the replicated Jobs that the JobSet's own order has not released, with their statuses:
/// a replicated Job whose dependsOn is not met, and one that follows another which has not started
/// where the startup policy is InOrder. Changes nothing if the order has released no Job.
void keep_released_jobs(json::Value& document, const JobSetPaths& paths);

/// Returns true if the JobSet has such an order.
bool has_startup_order(const json::Value& document, const JobSetPaths& paths);

}  // namespace sluice::controller
