// The deadline for the pods of an admitted Workload to become ready (KEP-349).
#pragma once

#include "api/kueue/workload.hpp"
#include "base/clock.hpp"
#include "config/configuration.hpp"
#include "controller/reconcile/stores.hpp"

#include <optional>
#include <string>

namespace sluice::controller {

/// The time by which the pods of an admitted Workload must be ready.
struct PodsReadyDeadline {
    Time at;
    std::string cause;  ///< the wait that ends then: WaitForStart or WaitForRecovery
};

/// Returns nullopt if the pods are ready, have no deadline, or the Workload is not admitted. If a
/// StatefulSet or LeaderWorkerSet creates the pods one after another, the time counts from the last
/// pod that became ready, because the next one is created then. The whole wait is never longer than
/// the timeout times the number of pods.
std::optional<PodsReadyDeadline> find_pods_ready_deadline(
    const Stores& stores, const api::Workload& workload, const config::WaitForPodsReady& policy
);

/// Returns the Workload with the time until which it is not tried again, twice as long each time;
/// nullopt if it was tried as often as it may be.
std::optional<api::Workload> backed_off(
    const api::Workload& workload, const config::RequeuingStrategy& strategy, Time now
);

}  // namespace sluice::controller
