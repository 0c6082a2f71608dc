// The name of the Workload that is created for a job.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice::controller {

/// Returns the name of a job's Workload: `<kind>-<owner>-<hash>`, at most `limit` bytes. The hash
/// covers the owner's uid, so that a job that is created again gets another name. Example: Job
/// `sample-job` of group batch gives `job-sample-job-fad91`. The hash covers `part` too, which
/// distinguishes the Workloads that one job has one after another; it is "" if the job has only
/// one.
std::string workload_name(
    std::string_view kind,
    std::string_view group,
    std::string_view owner,
    std::string_view uid,
    std::size_t limit = 253,
    std::string_view part = {}
);

}  // namespace sluice::controller
