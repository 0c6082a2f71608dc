// The simulated controllers of ReplicaSets and ReplicationControllers.
#pragma once

#include "sim/objects/turn.hpp"

namespace sluice::sim {

/// Returns the writes of one turn of the ReplicaSet controller: it creates or deletes pods until
/// there are as many as in the spec, and writes the status. Its pods pass through webhooks.
Outcome reconcile_replica_set(const Turn& turn);

/// Returns the writes of one turn of the ReplicationController controller, which works like the
/// ReplicaSet controller.
Outcome reconcile_replication_controller(const Turn& turn);

}  // namespace sluice::sim
