// Logs the state of all queues.
#pragma once

#include "controller/reconcile/stores.hpp"
#include "controller/visibility/pending_workloads.hpp"

namespace sluice::controller {

/// Logs for each ClusterQueue its reserved resources, the workloads that hold its quota, and the
/// pending workloads in their order; at most 1,000 of each. Kueue does this on SIGUSR2. Thread:
/// that of the stores.
void log_queues(const Stores& stores, PendingWorkloads* pending);

}  // namespace sluice::controller
