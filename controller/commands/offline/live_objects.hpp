// Reads the objects of a cluster through its API server.
#pragma once

#include "base/error.hpp"
#include "controller/commands/schedule/schedule_cluster.hpp"
#include "kube/client/client.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::commands {

/// The kinds that a command needs.
enum class LiveKinds : std::uint8_t {
    Queues,     ///< Cohorts, ClusterQueues and, if the user may list them, Workloads
    Capacity,   ///< nodes, pods and the objects of queues
    Decisions,  ///< all that decisions depend on; kinds that the user may not list are left out
};

struct LiveObjects {
    ScheduleCluster cluster;
    std::vector<std::string> left_out;  ///< a sentence for each kind that could not be listed
};

/// Reads the objects, each kind in pages. Errors: the server's, with the kind. *Lifetime*: the
/// client outlives the call.
boost::asio::awaitable<Result<LiveObjects>> read_live_objects(
    kube::Client* client, LiveKinds kinds
);

/// Reads the Workloads of a namespace, or of all if it is empty, with such labels. Errors: the
/// server's.
boost::asio::awaitable<Result<Objects<api::Workload>>> read_workloads_of(
    kube::Client* client, std::string ns, std::string label_selector = {}
);

}  // namespace sluice::commands
