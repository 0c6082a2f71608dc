// The simulated controller of LeaderWorkerSets.
#pragma once

#include "sim/objects/turn.hpp"

namespace sluice::sim {

/// Returns the writes of one turn of the LeaderWorkerSet controller. For each replica it creates a
/// leader and its workers, which are created and deleted together. Its pods pass through webhooks.
/// It does not create StatefulSets.
Outcome reconcile_leader_worker_set(const Turn& turn);

}  // namespace sluice::sim
