#pragma once

#include "sim/objects/turn.hpp"

namespace sluice::sim {

/// One turn of the controller of LeaderWorkerSets: for each replica a leader and its workers, which
/// come and go together. Its pods go through webhooks. There are no StatefulSets in between.
Outcome reconcile_leader_worker_set(const Turn& turn);

}  // namespace sluice::sim
