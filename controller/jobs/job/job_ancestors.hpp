#pragma once

#include "controller/jobs/job/generic_job.hpp"
#include "controller/jobs/job/job_kinds.hpp"
#include "controller/jobs/job/job_problem.hpp"

#include <memory>
#include <optional>

namespace sluice::controller {

/// Whether an object of a kind of jobs asks to be managed by itself: it names a queue, or jobs
/// without one are managed too (manageJobsWithoutQueueName). Its namespace is not considered.
bool asks_to_be_managed(const api::ObjectMeta& job, const Settings& settings);

/// Returns true if an object of a kind that may be managed controls the job, be it managed or not.
/// The walk goes on through objects of kinds that are only passed. An owner of such a kind that is
/// not seen (yet) is taken for one below a job.
bool is_owned_by_job(const JobKinds& kinds, const Stores& stores, const api::ObjectMeta& job);

/// Returns the newest Workload of the job, of those that have not finished; nullptr: there is none.
std::shared_ptr<const api::Workload> find_counting_workload(
    const Stores& stores, const ObjectKey& job
);

/// The topmost object above the job that is itself a managed job: its pods are the job's too, so
/// the job gets no Workload. The walk goes from controller to controller through all kinds of jobs,
/// those that other controllers manage and those that are not enabled too, at most ten. It ends at
/// any other kind, at a kind that cannot be read, at a pod whose owner does not count what it
/// makes, at an owner that was replaced by another of its name, and at one that is being deleted
/// after its own owner has gone, which is passed over if it has no Workload. Reads stores only.
/// Errors: OwnerNotFound when an owner is not there (yet); NestingTooDeep.
JobResult<std::optional<ObjectKey>> find_managed_ancestor(
    const JobKinds& kinds,
    const Stores& stores,
    const Settings& settings,
    const api::ObjectMeta& job
);

/// Whether the newest Workload of the managed job above, of those that have not finished, lets a
/// child run. Of an elastic job that grows it is the slice that waits; its children run until it is
/// evicted.
bool may_run_below(
    const Stores& stores,
    const Settings& settings,
    const ObjectKey& parent,
    const api::ObjectMeta& child
);

}  // namespace sluice::controller
