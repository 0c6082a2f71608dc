// Finds the managed job above a job by its owner references.
#pragma once

#include "controller/jobs/job/generic_job.hpp"
#include "controller/jobs/job/job_kinds.hpp"
#include "controller/jobs/job/job_problem.hpp"

#include <memory>
#include <optional>

namespace sluice::controller {

/// Returns true if a job asks to be managed itself: it names a queue, or jobs without a queue are
/// managed too (manageJobsWithoutQueueName). Its namespace is not considered.
bool asks_to_be_managed(const api::ObjectMeta& job, const Settings& settings);

/// Returns true if an object of a kind that may be managed controls the job, whether or not the
/// object is managed. The walk continues through objects of kinds with AncestorRole::Passed. If
/// such an object is not known (yet), it is assumed to be below a job.
bool is_owned_by_job(const JobKinds& kinds, const Stores& stores, const api::ObjectMeta& job);

/// Returns the newest Workload of the job that has not finished; nullptr if all have finished.
std::shared_ptr<const api::Workload> find_counting_workload(
    const Stores& stores, const ObjectKey& job
);

/// Returns the topmost object above the job that is a managed job. Its Workload counts the pods of
/// the job, so the job gets no Workload. The walk goes from controller to controller, at most ten
/// times, through all kinds of jobs, also those that other controllers manage and those that are
/// not enabled. It ends at:
/// - an object of any other kind, or of a kind that cannot be read;
/// - a pod whose owner does not count the pods that its pods control;
/// - an owner that was replaced by another object of the same name;
/// - an owner that is being deleted and whose own owner is gone. It does not count if it has no
/// Workload.
/// Reads stores only. Errors: OwnerNotFound if an owner does not exist (yet); NestingTooDeep.
JobResult<std::optional<ObjectKey>> find_managed_ancestor(
    const JobKinds& kinds,
    const Stores& stores,
    const Settings& settings,
    const api::ObjectMeta& job
);

/// Returns true if the newest unfinished Workload of the managed job above lets a child
/// run: it is admitted. The newest Workload of an elastic job that grows is the slice that waits;
/// children of such a job run until that slice is evicted.
bool may_run_below(
    const Stores& stores,
    const Settings& settings,
    const ObjectKey& parent,
    const api::ObjectMeta& child
);

}  // namespace sluice::controller
