#pragma once

#include "controller/jobs/job/generic_job.hpp"

#include <memory>
#include <vector>

/// The Workloads of an elastic job, of which a larger one takes the place of a smaller one
/// (KEP-77). What makes them is not decided here.
namespace sluice::controller {

/// The Workloads of one job by what is to be done with them.
struct Slices {
    using WorkloadPointer = std::shared_ptr<const api::Workload>;
    std::vector<WorkloadPointer> current;  ///< one of them describes the job, the others are extra
    /// The job runs on its quota until the slice that replaces it is admitted. May be null.
    WorkloadPointer kept;
    /// The same, evicted or deleted: the job must stop. May be null.
    WorkloadPointer leaving;
    std::vector<WorkloadPointer> ended;  ///< finished; none of them describes the job
};

/// Whether the Workload is the one that the job needs. A slice whose place another took is not,
/// whatever became of that one.
bool describes(const GenericJob& job, const api::Workload& workload, const Settings& settings);

/// Whether the job may run while `kept` alone is admitted: it has no more pods than that, or they
/// are made with the gate of elastic jobs, which another controller opens for admitted ones.
bool may_run_on(const GenericJob& job, const api::Workload& kept);

/// Which slices of an elastic job go on, of those that have not finished.
struct LiveSlices {
    using WorkloadPointer = Slices::WorkloadPointer;
    WorkloadPointer newest;    ///< is to describe the job; null: all give their quota back
    WorkloadPointer reserved;  ///< holds the quota that the job runs on; may be null
    std::vector<WorkloadPointer> replaced;     ///< to end: another took their place
    std::vector<WorkloadPointer> out_of_sync;  ///< to end: they have no place in the row
};

/// Finds those of a job's Workloads. One alone goes on even when it is evicted. Of several that is
/// the last one with a reservation, with the slice that waits to take its place; or else the
/// newest.
LiveSlices find_live_slices(std::vector<Slices::WorkloadPointer> all);

/// Whether the pods of the job are made with the gate of elastic jobs.
bool are_pods_gated(const GenericJob& job);

/// Sorts all Workloads of a job; those of one that is not elastic are current.
Slices sort_slices(
    const GenericJob& job, std::vector<Slices::WorkloadPointer> all, const Settings& settings
);

}  // namespace sluice::controller
