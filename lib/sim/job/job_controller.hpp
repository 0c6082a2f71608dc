// The simulated Job controller: one turn over one Job and its pods.
#pragma once

#include "base/clock.hpp"
#include "json/value.hpp"
#include "sim/objects/pace.hpp"
#include "sim/objects/write.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace sluice::sim {

/// State of the Job controller about a Job that is not in the API: how long new pods wait after
/// failures.
struct JobBackoff {
    std::int64_t failures = 0;  ///< since the last success
    std::optional<Time> last_failure{};
};

/// Returns the writes of Kubernetes' Job controller (1.36) for a Job in this state: it creates and
/// deletes pods, counts them by their finalizers (KEP-2307), and writes the status. `pods`: the
/// pods that the Job controls. A Job that another controller manages (`spec.managedBy`) is left
/// unchanged.
Outcome reconcile_job(
    const json::Value& job,
    const std::vector<const json::Value*>& pods,
    JobBackoff& backoff,
    Time now,
    const Pace& pace = {}
);

}  // namespace sluice::sim
