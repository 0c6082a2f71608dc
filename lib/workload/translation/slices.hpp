// The slices of elastic jobs as Workloads describe them (KEP-77).
#pragma once

#include "api/kueue/workload.hpp"

#include <string>

namespace sluice::workload {

/// Returns the slice that the Workload is to replace, as "namespace/name" (annotation
/// workload-slice-replacement-for). Empty if it does not replace a slice.
std::string replaced_slice(const api::Workload& workload);

/// Returns the uid of the elastic job that controls the Workload. Empty if the Workload has no
/// controller, or is not marked as a slice (annotation elastic-job).
std::string job_of_slice(const api::Workload& workload);

/// Returns true if the replacement names the slice and both belong to the same elastic job, or if
/// it names the slice and neither has an owner. Everything that frees the quota of a slice for its
/// replacement calls this function; the engine applies the same rule to its records
/// (`engine::are_slices_of_one_job`).
bool may_replace(const api::Workload& replacement, const api::Workload& slice);

}  // namespace sluice::workload
