// Reads the objects of a cluster through its API server.
#pragma once

#include "base/error.hpp"
#include "controller/commands/schedule/schedule_cluster.hpp"
#include "kube/client/client_config.hpp"

namespace sluice::commands {

/// Reads nodes, pods and the objects of queues, each kind in pages. Errors: the server's, with the
/// kind.
Result<ScheduleCluster> read_live_objects(const kube::ClientConfig& config);

}  // namespace sluice::commands
