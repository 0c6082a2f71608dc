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

/// What the Job controller reads of a pod. Lifetime: refers to the pod.
struct JobPod {
    const json::Value* object = nullptr;
    std::string_view name;
    std::string_view uid;
    std::string_view phase;
    bool is_deleted = false;  ///< it has a deletionTimestamp
    bool is_tracked = false;  ///< it has the finalizer of Jobs
    bool is_ready = false;
    std::optional<std::int64_t> index{};  ///< its completion index

    static JobPod make(const json::Value& pod);

    bool has_succeeded() const { return phase == "Succeeded"; }
    bool has_ended() const { return phase == "Succeeded" || phase == "Failed"; }
    bool is_active() const { return !has_ended() && !is_deleted; }
    bool is_terminating() const { return !has_ended() && is_deleted; }
    /// When it ended, as far as its status tells.
    Time finished_at() const;
    /// Of its index, by the annotations: counted failures, and all.
    std::int64_t counted_index_failures() const;
    std::int64_t all_index_failures() const;
};

using JobPods = std::vector<JobPod>;

/// Sorts pods that are to go first to the front: those that would lose the least.
void sort_for_removal(JobPods& pods);
/// Of the active pods, those that are to go: at least so many, and of an Indexed Job those whose
/// index is another's, or too large.
JobPods choose_for_removal(
    JobPods active, std::int64_t at_least, std::optional<std::int64_t> indexed_completions
);

/// Takes the finalizer of Jobs off a pod.
Write lose_finalizer(const json::Value& pod);
/// A pod of the Job as its controller makes it. `index`: of an Indexed Job.
json::Value make_job_pod(const json::Value& job, std::optional<std::int64_t> index);

}  // namespace sluice::sim
