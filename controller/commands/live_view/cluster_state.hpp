// State of a cluster that the live view shows, read from the API server's store.
#pragma once

#include "api/meta/quantity.hpp"
#include "apiserver/state/store.hpp"
#include "base/clock.hpp"
#include "controller/commands/live_view/domain_state.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace sluice::commands {

/// Quota of one resource in one flavor of a ClusterQueue.
struct QuotaState {
    std::string flavor;
    std::string resource;
    api::Quantity nominal;
    api::Quantity used;      ///< reserved, including `borrowed`
    api::Quantity borrowed;  ///< part of `used`
};

struct QueueState {
    std::string name;
    std::string cohort;
    std::string obstacle;  ///< why it admits nothing; empty if it is active
    std::vector<QuotaState> quotas;
};

/// An admitted Workload.
struct RunningState {
    std::string name;  ///< namespace/name of its job; of the Workload if it has none
    std::string kind;
    std::string queue;  ///< the ClusterQueue
    std::string amounts;
    std::optional<Time> since;
};

/// A Workload that is neither admitted nor finished.
struct WaitingState {
    std::string name;
    std::string kind;
    std::string queue;  ///< the LocalQueue
    std::string reason;
};

/// The whole state that a live view shows.
struct ClusterState {
    std::size_t nodes = 0;
    std::string capacity;      ///< of all nodes
    std::size_t pods = 0;      ///< running ones
    std::size_t unplaced = 0;  ///< pods that no node has room for
    std::size_t succeeded = 0;
    std::size_t failed = 0;
    std::vector<QueueState> queues;     ///< by cohort and name
    std::vector<DomainState> domains;   ///< of flavors with a topology
    std::vector<RunningState> running;  ///< the latest first
    std::vector<WaitingState> waiting;  ///< by priority, the oldest first
};

/// Reads the state from the objects that an API server stores.
ClusterState read_cluster_state(const apiserver::Store& store);

}  // namespace sluice::commands
