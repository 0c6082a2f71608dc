#pragma once

#include "sim/objects/turn.hpp"

namespace sluice::sim {

/// One turn of the StatefulSet controller: pods by their ordinals, one after the other unless its
/// spec says otherwise; pods of an old template are replaced from the last on; and its status. Its
/// pods go through webhooks. Claims of volumes are not made.
Outcome reconcile_stateful_set(const Turn& turn);

}  // namespace sluice::sim
