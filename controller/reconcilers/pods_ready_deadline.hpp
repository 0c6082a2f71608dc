#pragma once

#include "api/workload.hpp"
#include "base/clock.hpp"
#include "config/configuration.hpp"

#include <optional>
#include <string>

namespace sluice::controller {

/// By when the pods of an admitted Workload must be ready (KEP-349).
struct PodsReadyDeadline {
    Time at;
    std::string cause;  ///< what it waits for: WaitForStart or WaitForRecovery
};

/// None: they are ready, may take their time, or it is not admitted.
std::optional<PodsReadyDeadline> find_pods_ready_deadline(
    const api::Workload& workload, const config::WaitForPodsReady& policy
);

}  // namespace sluice::controller
