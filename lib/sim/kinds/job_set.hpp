#pragma once

#include "sim/objects/turn.hpp"

namespace sluice::sim {

/// One turn of the controller of JobSets: Jobs for each replicated Job, in the order that startup
/// policy and dependencies say; success and failure by their policies; and its status.
Outcome reconcile_job_set(const Turn& turn);

/// One turn of Trainer's controller over a TrainJob. Its Jobs are those of the JobSet that Trainer
/// would make of it and its runtime.
Outcome reconcile_train_job(const Turn& turn);

}  // namespace sluice::sim
