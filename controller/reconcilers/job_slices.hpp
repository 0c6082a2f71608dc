#pragma once

#include "controller/reconcilers/settings.hpp"
#include "controller/reconcilers/stores.hpp"

#include <memory>
#include <vector>

/// The Workloads of an elastic Job, of which a larger one takes the place of a smaller one (spec
/// 2.23). Who makes them is not said here.
namespace sluice::controller {

/// The Workloads of one Job by what is to be done with them.
struct Slices {
    using WorkloadPointer = std::shared_ptr<const api::Workload>;
    std::vector<WorkloadPointer> current;  ///< one of them describes the Job, the others are extra
    /// The Job runs on its quota until the slice that replaces it is admitted. May be null.
    WorkloadPointer kept;
    /// The same, evicted or deleted: the Job must stop. May be null.
    WorkloadPointer leaving;
    std::vector<WorkloadPointer> ended;  ///< finished; none of them describes the Job
};

/// Whether the Workload is the one that the Job needs. A slice whose place another took is not,
/// whatever became of that one.
bool describes(const api::Job& job, const api::Workload& workload, const Settings& settings);

/// Whether the Job may run while `kept` alone is admitted: it has no more pods than that, or they
/// are made with the gate of elastic Jobs, which somebody opens for those that are admitted.
bool may_run_on(const api::Job& job, const api::Workload& kept);

/// Sorts all Workloads of a Job; those of one that is not elastic are current.
Slices sort_slices(
    const api::Job& job, std::vector<Slices::WorkloadPointer> all, const Settings& settings
);

}  // namespace sluice::controller
