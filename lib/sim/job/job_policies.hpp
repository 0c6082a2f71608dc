// Pod failure policies and success policies of Jobs.
#pragma once

#include "json/value.hpp"
#include "sim/job/index_set.hpp"
#include "sim/job/job_pod.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace sluice::sim {

/// The decision of a Job's `spec.podFailurePolicy` about a failed pod (KEP-3329).
struct FailureVerdict {
    bool is_counted = true;     ///< counts towards the backoff limit
    bool fails_index = false;   ///< FailIndex
    std::string job_message{};  ///< reason for FailJob; empty for other actions
};
/// Applies the failure policy of the Job to a failed pod.
FailureVerdict judge_failure(const json::Value& job, const JobPod& pod);

/// Returns the rule of `spec.successPolicy` that is met, in the words of the Job's condition; empty
/// if no rule is met.
std::string find_met_success_rule(
    const json::Value& job, const IndexSet& succeeded, std::int64_t completions
);

}  // namespace sluice::sim
