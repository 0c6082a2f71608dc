// The kind batch/v1 Job, as a kind of jobs.
#pragma once

#include "controller/jobs/job/generic_job.hpp"

#include <memory>

namespace sluice::controller {

/// Returns the kind batch/v1 Job, `batch/job` in integrations.frameworks: it has one pod set named
/// `main`.
std::shared_ptr<const JobKind> make_batch_job_kind();

}  // namespace sluice::controller
