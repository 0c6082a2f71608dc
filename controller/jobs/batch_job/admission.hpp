#pragma once

#include "controller/jobs/admission/job_admission.hpp"

namespace sluice::controller {

/// Defaults and rules of batch/v1 Jobs: minimum parallelism, completions that follow parallelism,
/// topology annotations.
const JobAdmission& batch_job_admission();

}  // namespace sluice::controller
