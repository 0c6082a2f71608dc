// Job of batch/v1.
#pragma once

#include "api/core/pod.hpp"

namespace sluice::api {

struct JobSpec {
    std::optional<std::int32_t> parallelism;
    std::optional<std::int32_t> completions;
    std::optional<std::int64_t> active_deadline_seconds;
    std::optional<std::int32_t> backoff_limit;
    std::optional<LabelSelector> selector;
    std::optional<bool> manual_selector;
    PodTemplateSpec template_;
    std::optional<std::int32_t> ttl_seconds_after_finished;
    std::string completion_mode;
    std::optional<bool> suspend;
    std::string managed_by;

    static const TypeInfo& type();
    friend bool operator==(const JobSpec&, const JobSpec&) = default;
};

/// Uids of pods that have ended and whose finalizer the Job controller has not removed yet.
struct UncountedTerminatedPods {
    std::vector<std::string> succeeded;
    std::vector<std::string> failed;

    static const TypeInfo& type();
    friend bool operator==(const UncountedTerminatedPods&, const UncountedTerminatedPods&) =
        default;
};

struct JobStatus {
    std::vector<ObjectCondition> conditions;
    std::optional<Time> start_time;
    std::optional<Time> completion_time;
    std::int32_t active = 0;
    std::int32_t succeeded = 0;
    std::int32_t failed = 0;
    std::optional<std::int32_t> terminating;
    std::optional<std::int32_t> ready;
    std::string completed_indexes;
    std::string failed_indexes;
    std::optional<UncountedTerminatedPods> uncounted_terminated_pods;

    static const TypeInfo& type();
    friend bool operator==(const JobStatus&, const JobStatus&) = default;
};

/// batch/v1 Job.
struct Job {
    static constexpr std::string_view kGroup = "batch";
    static constexpr std::string_view kVersion = "v1";
    static constexpr std::string_view kKind = "Job";
    static constexpr std::string_view kPlural = "jobs";
    static constexpr bool kNamespaced = true;

    ObjectMeta metadata;
    JobSpec spec;
    JobStatus status;

    static const TypeInfo& type();
    friend bool operator==(const Job&, const Job&) = default;
};

}  // namespace sluice::api
