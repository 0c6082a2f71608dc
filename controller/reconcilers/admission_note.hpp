// The event and the observation of an admission that follows a reservation.
#pragma once

#include "api/kueue/workload.hpp"
#include "controller/reconcile/reconcile.hpp"

#include <string>

namespace sluice::controller {

/// Adds to the write the event and the observation that its Workload is admitted now. `workload`:
/// as it was before; it holds quota of that ClusterQueue.
void note_admission(
    Write& write, const api::Workload& workload, const std::string& cluster_queue, Time now
);

}  // namespace sluice::controller
