#pragma once

#include "controller/jobs/job/generic_job.hpp"

#include <memory>

namespace sluice::controller {

/// batch/v1 Job, `batch/job` in integrations.frameworks: one pod set named `main`.
std::shared_ptr<const JobKind> make_batch_job_kind();

}  // namespace sluice::controller
