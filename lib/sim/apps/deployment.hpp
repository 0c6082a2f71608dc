// The simulated Deployment controller.
#pragma once

#include "sim/objects/turn.hpp"

namespace sluice::sim {

/// Returns the writes of one turn of the Deployment controller. It keeps one ReplicaSet for each
/// template that the Deployment had, and scales up the newest and scales down the others as the
/// strategy allows. It also writes the status.
Outcome reconcile_deployment(const Turn& turn);

}  // namespace sluice::sim
