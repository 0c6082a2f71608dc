// The time at which a workload reaches its maximum execution time.
#pragma once

#include "api/kueue/workload.hpp"

#include <optional>

namespace sluice::workload {

/// Returns when the workload has been admitted for spec.maximumExecutionTimeSeconds in total, with
/// what its earlier admissions took (status.accumulatedPastExecutionTimeSeconds). Returns nullopt
/// if it has no limit or is not admitted.
std::optional<Time> execution_limit(const api::Workload& workload);

}  // namespace sluice::workload
