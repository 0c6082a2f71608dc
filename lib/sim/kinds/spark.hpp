// The simulated controller of SparkApplications.
#pragma once

#include "job_kinds/description.hpp"
#include "sim/kinds/pod_job.hpp"

namespace sluice::sim {

/// SparkApplication: executors are created when the driver runs, and it finishes with its driver.
PodJobKind spark_kind(const job_kinds::Description& description);

}  // namespace sluice::sim
