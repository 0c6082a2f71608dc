#pragma once

#include "base/clock.hpp"
#include "json/value.hpp"
#include "sim/objects/pace.hpp"
#include "sim/objects/write.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace sluice::sim {

/// What the Job controller remembers of a Job beside the API: how long new pods wait after
/// failures.
struct JobBackoff {
    std::int64_t failures = 0;  ///< since the last success
    std::optional<Time> last_failure{};
};

/// What Kubernetes' Job controller (1.36) writes for a Job in this state: pods made and deleted,
/// counted by finalizer (KEP-2307), and the status. `pods`: those that the Job controls. A Job that
/// another controller manages (`spec.managedBy`) is left alone.
Outcome reconcile_job(
    const json::Value& job,
    const std::vector<const json::Value*>& pods,
    JobBackoff& backoff,
    Time now,
    const Pace& pace = {}
);

}  // namespace sluice::sim
