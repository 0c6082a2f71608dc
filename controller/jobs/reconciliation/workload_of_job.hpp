// Creates the Workload of a job, and checks whether a Workload still describes its job.
#pragma once

#include "controller/jobs/job/generic_job.hpp"
#include "controller/jobs/job/job_problem.hpp"

#include <cstdint>
#include <optional>
#include <vector>

/// The Workload of a job: its content, and whether it still describes the job.
namespace sluice::controller {

/// Returns true if the job may have slices: its kind, its annotation and the feature gate allow it
/// (KEP-77).
bool is_elastic(const GenericJob& job, const Settings& settings);

/// Returns the first label, annotation or field of the job that a webhook would have rejected;
/// nullopt if the job is valid.
std::optional<Error> find_problem(const GenericJob& job);

/// Returns true if the Workload describes the job as it is: by its owner, its maximum execution
/// time, and its pod sets as admitted or as first requested. Pod sets are compared by counts,
/// containers and, before the start, tolerations. An elastic job may run on a slice with more pods
/// than it needs. Values that find_problem() reports are not compared.
bool is_equivalent(const GenericJob& job, const api::Workload& workload, const Settings& settings);

/// Returns the problem of a pod set whose pods the API server would refuse because of their
/// requests, so that the owner reports it and does not wait; nullopt if the requests are valid.
std::optional<JobProblem> find_impossible_requests(const std::vector<api::PodSet>& pod_sets);

/// The class and value by which a workload is ordered.
struct Priority {
    std::optional<api::PriorityClassRef> ref;
    std::int32_t value = 0;
};

/// Returns the first of: the WorkloadPriorityClass of the job's label; the WorkloadPriorityClass
/// `default`; the PriorityClass that the job itself or its first pod set with a class names; the
/// global default with the lowest value; the value 0. Errors: a named class does not exist.
JobResult<Priority> resolve_priority(
    const Stores& stores, const GenericJob& job, const Settings& settings
);

/// Returns the priority of any object. `pod_class`: the PriorityClass of its pods, or "".
JobResult<Priority> resolve_priority(
    const Stores& stores,
    const api::ObjectMeta& object,
    const std::string& pod_class,
    const Settings& settings
);

/// Returns a new Workload for the job. For an elastic job it is the first slice, or the slice that
/// is to replace `replaced` (may be nullptr). Errors: as resolve_priority(), and the problem that
/// find_problem() returns.
JobResult<api::Workload> make_workload(
    const Stores& stores,
    const JobKind& kind,
    const GenericJob& job,
    const Settings& settings,
    const api::Workload* replaced = nullptr
);

}  // namespace sluice::controller
