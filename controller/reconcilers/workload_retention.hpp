// Deletes finished Workloads after their retention time (KEP-1618).
#pragma once

#include "api/kueue/workload.hpp"
#include "base/clock.hpp"
#include "config/configuration.hpp"
#include "controller/reconcile/reconcile.hpp"

namespace sluice::controller {

/// Deletes a finished Workload once objectRetentionPolicies.workloads.afterFinished has passed. Its
/// finalizer is removed first, whatever finished it. Requires: the Workload is finished.
Outcome delete_after_retention(
    const api::Workload& workload, const config::WorkloadRetention& retention, Time now
);

}  // namespace sluice::controller
