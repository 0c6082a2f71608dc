#pragma once

#include "sim/objects/turn.hpp"

namespace sluice::sim {

/// One turn of the ReplicaSet controller: as many pods as its spec says, and its status. Its pods
/// go through webhooks.
Outcome reconcile_replica_set(const Turn& turn);

/// The same for a ReplicationController.
Outcome reconcile_replication_controller(const Turn& turn);

}  // namespace sluice::sim
