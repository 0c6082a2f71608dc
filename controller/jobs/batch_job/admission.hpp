// The webhooks of batch/v1 Jobs.
#pragma once

#include "controller/jobs/admission/job_admission.hpp"

#include <memory>

namespace sluice::controller {

/// Creates the webhooks of batch/v1 Jobs. They have rules for minimum parallelism, completions that
/// equal parallelism, and topology annotations. Lifetime: `kind` must outlive them.
std::unique_ptr<const KindAdmission> make_batch_job_admission(const JobKind& kind);

}  // namespace sluice::controller
