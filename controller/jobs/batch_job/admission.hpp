// The webhooks of batch/v1 Jobs.
#pragma once

#include "controller/jobs/admission/job_admission.hpp"

namespace sluice::controller {

/// Returns the defaults and rules of batch/v1 Jobs: minimum parallelism, completions that equal
/// parallelism, topology annotations.
const JobAdmission& batch_job_admission();

}  // namespace sluice::controller
