// Pods as the Job controller reads, creates and removes them.
#pragma once

#include "base/clock.hpp"
#include "json/value.hpp"
#include "sim/objects/write.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace sluice::sim {

inline constexpr std::string_view kTrackingFinalizer = "batch.kubernetes.io/job-tracking";
inline constexpr std::string_view kCompletionIndex = "batch.kubernetes.io/job-completion-index";
inline constexpr std::string_view kIndexFailures = "batch.kubernetes.io/job-index-failure-count";
inline constexpr std::string_view kIgnoredIndexFailures =
    "batch.kubernetes.io/job-index-ignored-failure-count";

/// The fields of a pod that the Job controller reads. *Lifetime*: refers to the pod.
struct JobPod {
    const json::Value* object = nullptr;
    std::string_view name;
    std::string_view uid;
    std::string_view phase;
    bool is_deleted = false;  ///< has a deletionTimestamp
    bool is_tracked = false;  ///< has the finalizer of Jobs
    bool is_ready = false;
    std::optional<std::int64_t> index{};  ///< the completion index

    static JobPod make(const json::Value& pod);

    bool has_succeeded() const { return phase == "Succeeded"; }
    bool has_ended() const { return phase == "Succeeded" || phase == "Failed"; }
    bool is_active() const { return !has_ended() && !is_deleted; }
    bool is_terminating() const { return !has_ended() && is_deleted; }
    /// Returns the time when the pod ended, if its status has it.
    Time finished_at() const;
    /// Return the failures of the pod's index by its annotations: counted ones, and all.
    std::int64_t counted_index_failures() const;
    std::int64_t all_index_failures() const;
};

using JobPods = std::vector<JobPod>;

/// Sorts the pods to remove first to the front: those whose removal loses the least.
void sort_for_removal(JobPods& pods);
/// Returns the active pods to remove: at least `at_least`. For an Indexed Job, also each pod whose
/// index is too large or that another pod has.
JobPods choose_for_removal(
    JobPods active, std::int64_t at_least, std::optional<std::int64_t> indexed_completions
);

/// Returns the write that removes the finalizer of Jobs from a pod.
Write lose_finalizer(const json::Value& pod);
/// Returns a pod of the Job as its controller creates it. `index`: only for an Indexed Job.
json::Value make_job_pod(const json::Value& job, std::optional<std::int64_t> index);

}  // namespace sluice::sim
