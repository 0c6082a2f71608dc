#pragma once

#include "controller/reconcile/stores.hpp"
#include "controller/visibility/pending_workloads.hpp"

namespace sluice::controller {

/// Logs each ClusterQueue: what it has of each resource, which workloads hold its quota, and which
/// wait, in their order; of both the first 1,000. As Kueue does on SIGUSR2.
/// Thread: that of the stores.
void log_queues(const Stores& stores, PendingWorkloads* pending);

}  // namespace sluice::controller
