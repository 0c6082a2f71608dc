#pragma once

#include "json/value.hpp"

namespace sluice::job_kinds {

/// The replicated Jobs of the JobSet that Trainer makes of a TrainJob and its runtime, as far as
/// they count for its quota and its place: the runtime's, patched by spec.runtimePatches, with what
/// initializer and trainer say, and with as many pods as there are nodes.
json::Array make_replicated_jobs(const json::Value& train_job, const json::Value& runtime);

}  // namespace sluice::job_kinds
