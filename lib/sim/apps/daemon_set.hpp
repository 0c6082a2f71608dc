#pragma once

#include "sim/turn.hpp"

namespace sluice::sim {

/// One turn of the DaemonSet controller: a pod on each node that its template may run on, pods of
/// an old template replaced as its spec says; a ControllerRevision for each template; and its
/// status. That pods are to be ready for a while (`minReadySeconds`) is passed over.
Outcome reconcile_daemon_set(const Turn& turn);

}  // namespace sluice::sim
