// The simulated controllers of JobSets and TrainJobs.
#pragma once

#include "sim/objects/turn.hpp"

namespace sluice::sim {

/// Returns the writes of one turn of the JobSet controller. It creates the Jobs of each replicated
/// Job in the order of the startup policy and the dependencies, applies the success and failure
/// policies, and writes the status.
Outcome reconcile_job_set(const Turn& turn);

/// Returns the writes of one turn of Trainer's controller for a TrainJob. It creates the Jobs of
/// the JobSet that Trainer would create for the TrainJob and its runtime.
Outcome reconcile_train_job(const Turn& turn);

}  // namespace sluice::sim
