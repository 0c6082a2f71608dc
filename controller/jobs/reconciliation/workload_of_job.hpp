#pragma once

#include "controller/jobs/job/generic_job.hpp"
#include "controller/jobs/job/job_problem.hpp"

#include <cstdint>
#include <optional>
#include <vector>

/// The Workload of a job: its content, and whether a given one still describes the job.
namespace sluice::controller {

/// It may have slices: its kind, its annotation and the feature gate say so (KEP-77).
bool is_elastic(const GenericJob& job, const Settings& settings);

/// What of the job's labels, annotations and fields only a webhook would refuse.
std::optional<Error> find_problem(const GenericJob& job);

/// Whether the Workload describes the job as it is: by its owner, its limit of execution time, and
/// its pod sets as admitted or as first asked for, of which counts, containers and, until the
/// start, tolerations are compared. An elastic job may run on more than it needs any more. Where
/// find_problem() finds something, that is left out of the comparison.
bool is_equivalent(const GenericJob& job, const api::Workload& workload, const Settings& settings);

/// Returns the problem of pods that the API server would refuse for what they ask for, so that
/// their owner says so and does not wait; nullopt if there is none.
std::optional<JobProblem> find_impossible_requests(const std::vector<api::PodSet>& pod_sets);

/// The class and value that order a workload.
struct Priority {
    std::optional<api::PriorityClassRef> ref;
    std::int32_t value = 0;
};

/// The WorkloadPriorityClass that the job's label names; else the one named `default`; else the
/// PriorityClass of the first pod set that names one; else the lowest global default; else 0.
/// Errors: when a class that is named does not exist.
JobResult<Priority> resolve_priority(
    const Stores& stores, const GenericJob& job, const Settings& settings
);

/// The same for any object; `pod_class`: the PriorityClass of its pods, "" for none.
JobResult<Priority> resolve_priority(
    const Stores& stores,
    const api::ObjectMeta& object,
    const std::string& pod_class,
    const Settings& settings
);

/// A new Workload for the job; of an elastic one the first slice, or the one that is to take the
/// place of `replaced` (null: none). Errors: as resolve_priority, and what find_problem() finds.
JobResult<api::Workload> make_workload(
    const Stores& stores,
    const JobKind& kind,
    const GenericJob& job,
    const Settings& settings,
    const api::Workload* replaced = nullptr
);

}  // namespace sluice::controller
