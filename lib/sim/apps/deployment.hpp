#pragma once

#include "sim/objects/turn.hpp"

namespace sluice::sim {

/// One turn of the Deployment controller: a ReplicaSet for each template that it has had, of which
/// the newest grows while the others shrink, as its strategy allows; and its status.
Outcome reconcile_deployment(const Turn& turn);

}  // namespace sluice::sim
