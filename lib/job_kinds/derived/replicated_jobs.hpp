// Derives the replicated Jobs that Trainer creates for a TrainJob.
#pragma once

#include "json/value.hpp"

namespace sluice::job_kinds {

/// Returns the replicated Jobs of the JobSet that Trainer creates for a TrainJob and its runtime,
/// with the fields that affect its quota and placement: the runtime's Jobs, patched by
/// spec.runtimePatches, with the settings of initializer and trainer, and with one pod for each
/// node.
json::Array make_replicated_jobs(const json::Value& train_job, const json::Value& runtime);

}  // namespace sluice::job_kinds
