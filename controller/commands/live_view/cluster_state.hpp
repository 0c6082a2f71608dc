#pragma once

#include "api/meta/quantity.hpp"
#include "apiserver/state/store.hpp"
#include "base/clock.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace sluice::commands {

/// What one ClusterQueue has of a resource of a flavor.
struct QuotaState {
    std::string flavor;
    std::string resource;
    api::Quantity nominal;
    api::Quantity used;      ///< reserved, what is borrowed included
    api::Quantity borrowed;  ///< of the used
};

struct QueueState {
    std::string name;
    std::string cohort;
    std::string obstacle;  ///< why it admits nothing; "": it does
    std::vector<QuotaState> quotas;
};

/// A Workload with admission.
struct RunningState {
    std::string name;  ///< namespace/name of its job, or its own
    std::string kind;
    std::string queue;  ///< the ClusterQueue
    std::string amounts;
    std::optional<Time> since;
};

/// A Workload without.
struct WaitingState {
    std::string name;
    std::string kind;
    std::string queue;  ///< the LocalQueue
    std::string reason;
};

/// What a live view shows of a cluster.
struct ClusterState {
    std::size_t nodes = 0;
    std::string capacity;      ///< of all nodes
    std::size_t pods = 0;      ///< that run
    std::size_t unplaced = 0;  ///< pods that no node has room for
    std::size_t succeeded = 0;
    std::size_t failed = 0;
    std::vector<QueueState> queues;     ///< by cohort and name
    std::vector<RunningState> running;  ///< the latest first
    std::vector<WaitingState> waiting;  ///< by priority, the oldest first
};

/// Gathers it from the objects that an API server stores.
ClusterState read_cluster_state(const apiserver::Store& store);

}  // namespace sluice::commands
