#pragma once

#include "job_kinds/configured.hpp"
#include "job_kinds/path.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// What `job_kinds` has of each kind of jobs: an object, and what is to come of it.
namespace sluice::controller {

struct SamplePodSet {
    std::string name;
    std::int64_t count = 0;
    std::string cpu;               ///< that its first container requests
    job_kinds::Path pod_template;  ///< of the object
    /// What a start injects, where that does not stand in the template: with the members of
    /// metadata and spec beside each other.
    std::optional<job_kinds::Path> injected;
};

/// What the kind's own controller writes when the job is over, and what a person is told.
struct SampleEnd {
    json::Value status;
    std::string message;
};

/// One job, and what its controller writes in the course of its life. Each status is a merge patch.
struct JobSample {
    std::string file;
    job_kinds::ConfiguredKind kind;
    json::Value object;               ///< as its user writes it: to run at once
    std::vector<json::Value> others;  ///< that are there before it
    job_kinds::Path suspend;
    json::Value suspended = true;
    json::Value running = false;
    std::vector<SamplePodSet> pod_sets;  ///< in their order in the Workload
    std::vector<job_kinds::Path> made_at_start;
    json::Value active;             ///< pods run
    json::Value ready;              ///< all of them do
    json::Value stopped;            ///< they have ended, because the job was suspended
    bool is_restored_late = false;  ///< only then it is as its user wrote it
    std::optional<SampleEnd> succeeded;
    std::optional<SampleEnd> failed;
    std::optional<json::Value> partly;  ///< some pods have succeeded:
    std::map<std::string, std::int64_t> reclaimable;
    // Merge patches of kinds whose pod templates are not in the object; none: the first template is
    // changed.
    std::optional<json::Value> larger;         ///< a pod set asks for 3 cpus
    std::size_t larger_pod_set = 0;            ///< it is this one
    std::optional<json::Value> contradiction;  ///< pods have another label of the podset
    std::string immutable;  ///< a merge patch that is refused while the job runs; "": none is

    std::string name() const { return "sample"; }
};

/// All samples, by file. One whose description is not built in brings it along.
const std::vector<JobSample>& job_samples();

}  // namespace sluice::controller
