#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice::controller {

/// The name of a job's Workload: `<kind>-<owner>-<hash>`, at most `limit` bytes. The
/// hash covers the owner's uid, so that a job made again gets another one. Example: Job
/// `sample-job` of group batch gives `job-sample-job-fad91`. It covers `part` too, which tells
/// apart the Workloads that one job has in a row; "": it has one.
std::string workload_name(
    std::string_view kind,
    std::string_view group,
    std::string_view owner,
    std::string_view uid,
    std::size_t limit = 253,
    std::string_view part = {}
);

}  // namespace sluice::controller
