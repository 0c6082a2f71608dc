#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::controller {

struct MixedJobsOptions {
    std::uint64_t seed = 1;
    int jobs = 500;
};

/// What a course came to.
struct MixedJobsResult {
    std::vector<std::string> problems;  ///< what may never be; empty: nothing
    int created = 0;
    int finished = 0;   ///< their own controller said so
    int deleted = 0;    ///< by their users, or because they were evicted (pods)
    int evictions = 0;  ///< starts that were taken back
    int restarts = 0;   ///< of the controller
};

/// Jobs of all kinds, pods and groups of pods come, run, end, and are edited, suspended, evicted
/// and deleted in an order that the seed gives, while writes fail, answers are lost and the
/// controller dies. Then all that is left runs to its end and is deleted. It is a problem if the
/// account of quota is ever wrong, if a job runs without quota while nothing is under way, if a job
/// that fits never runs, and if a Workload, a finalizer or quota is left at the end.
MixedJobsResult play_mixed_jobs(const MixedJobsOptions& options);

}  // namespace sluice::controller
