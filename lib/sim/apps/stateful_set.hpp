// The simulated StatefulSet controller.
#pragma once

#include "sim/objects/turn.hpp"

namespace sluice::sim {

/// Returns the writes of one turn of the StatefulSet controller. It creates pods by their ordinals,
/// one after the other unless the spec allows parallel creation; replaces pods with an old
/// template, the highest ordinal first; and writes the status. Its pods pass through webhooks. It
/// does not create volume claims.
Outcome reconcile_stateful_set(const Turn& turn);

}  // namespace sluice::sim
