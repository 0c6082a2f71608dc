#pragma once

#include "job_kinds/description.hpp"
#include "sim/kinds/pod_job.hpp"

namespace sluice::sim {

/// SparkApplication: executors come when the driver runs, and it is over with its driver.
PodJobKind spark_kind(const job_kinds::Description& description);

}  // namespace sluice::sim
