// The Workload that a job would have, for what-ifs.
#pragma once

#include "api/kueue/workload.hpp"
#include "base/error.hpp"
#include "controller/jobs/job/job_kinds.hpp"
#include "controller/reconcile/settings.hpp"
#include "controller/reconcile/stores.hpp"

#include <string_view>

namespace sluice::controller {

/// Returns the Workload that the controller would make for the job, given as JSON, by the code of
/// its kind. Errors: Invalid if the kind is not managed, or if the job is invalid.
Result<api::Workload> workload_of_submitted(
    const JobKinds& kinds, const Stores& stores, const Settings& settings, std::string_view job
);

}  // namespace sluice::controller
