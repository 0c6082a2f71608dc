// Sorts the workload slices of an elastic job by their role.
#pragma once

#include "controller/jobs/job/generic_job.hpp"

#include <memory>
#include <vector>

/// The Workloads of an elastic job: a larger one replaces a smaller one (KEP-77). They are created
/// in one_workload.cpp.
namespace sluice::controller {

/// The Workloads of one job, by their role.
struct Slices {
    using WorkloadPointer = std::shared_ptr<const api::Workload>;
    std::vector<WorkloadPointer> current;  ///< at most one describes the job, the others are extra
    /// The job runs on this slice's quota until the slice that replaces it is admitted. May be
    /// null.
    WorkloadPointer kept;
    /// The job ran on this slice, which is evicted or deleted: the job must stop. May be null.
    WorkloadPointer leaving;
    std::vector<WorkloadPointer> ended;  ///< finished; none of them describes the job
};

/// Returns true if the Workload is the one that the job needs. A slice that was replaced is not,
/// whatever happened to its replacement.
bool describes(const GenericJob& job, const api::Workload& workload, const Settings& settings);

/// Returns true if the job may run while only `kept` is admitted: it has no more pods than `kept`,
/// or its pods have the gate of elastic jobs, which is removed only from admitted pods.
bool may_run_on(const GenericJob& job, const api::Workload& kept);

/// The slices of an elastic job that have not finished, by their role.
struct LiveSlices {
    using WorkloadPointer = Slices::WorkloadPointer;
    WorkloadPointer newest;    ///< is to describe the job; null if all give their quota back
    WorkloadPointer reserved;  ///< holds the quota that the job runs on; may be null
    std::vector<WorkloadPointer> replaced;     ///< to end: another slice replaced them
    std::vector<WorkloadPointer> out_of_sync;  ///< to end: they are not in the chain of slices
};

/// Finds the live slices among a job's Workloads. A single slice stays even if it is evicted. If
/// the job has several, the last slice with a reservation stays, and the slice that waits to
/// replace it; if none has a reservation, the newest stays.
LiveSlices find_live_slices(std::vector<Slices::WorkloadPointer> all);

/// Sorts all Workloads of a job by their role; all Workloads of a job that is not elastic are
/// current.
Slices sort_slices(
    const GenericJob& job, std::vector<Slices::WorkloadPointer> all, const Settings& settings
);

}  // namespace sluice::controller
