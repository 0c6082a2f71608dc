#pragma once

#include "base/error.hpp"
#include "controller/reconcilers/reconcile.hpp"
#include "controller/reconcilers/settings.hpp"
#include "controller/reconcilers/stores.hpp"

#include <optional>
#include <string>
#include <string_view>

/// The Workload of a batch/v1 Job: its name, its content, and whether a given one still describes
/// the Job.
namespace sluice::controller {

inline constexpr std::string_view kQueueLabel = "kueue.x-k8s.io/queue-name";
inline constexpr std::string_view kPriorityClassLabel = "kueue.x-k8s.io/priority-class";
inline constexpr std::string_view kAdmissionGatedBy = "kueue.x-k8s.io/admission-gated-by";
inline constexpr std::string_view kStoppingAnnotation = "kueue.x-k8s.io/stopping";
inline constexpr std::string_view kMinParallelism = "kueue.x-k8s.io/job-min-parallelism";
inline constexpr std::string_view kCompletionsEqualParallelism =
    "kueue.x-k8s.io/job-completions-equal-parallelism";

/// Pods that the Job runs at a time: the smaller of parallelism and completions.
std::int32_t pod_count(const api::Job& job);

/// Suspended, and no stop of ours is half done.
bool is_suspended(const api::Job& job);

/// Suspended by a stop of ours that is half done.
bool is_being_stopped(const api::Job& job);

/// The Job may have slices (spec 2.23).
bool is_elastic(const api::Job& job, const Settings& settings);

/// How a Job ended.
struct JobEnd {
    bool success = false;
    std::string message;
};
std::optional<JobEnd> find_end(const api::Job& job);

/// What of the Job's labels and annotations only a webhook would refuse; none: they can be read.
std::optional<Error> find_problem(const api::Job& job, const Settings& settings);

/// The pod set "main" as the Workload stores it.
/// Errors: Invalid when an annotation of the Job is no number, or one above its number of pods.
Result<api::PodSet> make_pod_set(const api::Job& job, const Settings& settings);

/// Whether the Workload describes the Job as it is (surfaces 1.4): by its pod sets as admitted, or
/// as first asked for. An elastic one may run on more than it needs any more. Where find_problem
/// finds something, the Workload is right as it is.
bool is_equivalent(const api::Job& job, const api::Workload& workload, const Settings& settings);

/// The class and value that order a workload (spec 2.15).
struct Priority {
    std::optional<api::PriorityClassRef> ref;
    std::int32_t value = 0;
};
/// Errors: NotFound when a class that is named does not exist.
Result<Priority> resolve_priority(
    const Stores& stores, const api::Job& job, const Settings& settings
);

/// A new Workload for the Job. Errors: as resolve_priority and make_pod_set.
Result<api::Workload> make_workload(
    const Stores& stores, const api::Job& job, const Settings& settings
);

/// How many of the Job's pods need no quota any more.
std::int32_t count_reclaimable(const api::Job& job, const api::Workload& workload);

/// Whether two JSON values mean the same: absent, null and empty are equal, quantities by value.
bool is_semantically_equal(const json::Value* a, const json::Value* b);

}  // namespace sluice::controller
