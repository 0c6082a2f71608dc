#pragma once

#include "json/value.hpp"
#include "sim/job/index_set.hpp"
#include "sim/job/job_pod.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace sluice::sim {

/// What `spec.podFailurePolicy` of a Job says of a failed pod (KEP-3329).
struct FailureVerdict {
    bool is_counted = true;     ///< towards the backoff limit
    bool fails_index = false;   ///< FailIndex
    std::string job_message{};  ///< FailJob: why; else ""
};
FailureVerdict judge_failure(const json::Value& job, const JobPod& pod);

/// The rule of `spec.successPolicy` that is met, as the Job's condition tells it; "": none.
std::string find_met_success_rule(
    const json::Value& job, const IndexSet& succeeded, std::int64_t completions
);

}  // namespace sluice::sim
