#pragma once

#include "api/kueue/workload.hpp"
#include "base/clock.hpp"
#include "config/configuration.hpp"
#include "controller/reconcile/stores.hpp"

#include <optional>
#include <string>

namespace sluice::controller {

/// By when the pods of an admitted Workload must be ready (KEP-349).
struct PodsReadyDeadline {
    Time at;
    std::string cause;  ///< what it waits for: WaitForStart or WaitForRecovery
};

/// None: they are ready, may take their time, or it is not admitted. If a StatefulSet or
/// LeaderWorkerSet creates the pods one after another, the time counts from the last pod that
/// became ready, as the next one is created then. It is never longer than if each pod took all of
/// it.
std::optional<PodsReadyDeadline> find_pods_ready_deadline(
    const Stores& stores, const api::Workload& workload, const config::WaitForPodsReady& policy
);

}  // namespace sluice::controller
