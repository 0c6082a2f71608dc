#pragma once

#include "controller/mini_cluster.hpp"

#include <string>
#include <string_view>

/// StatefulSets and LeaderWorkerSets in namespace `team`, of the LocalQueue `main`, and what their
/// controllers make.
namespace sluice::controller {

ObjectKey stateful_set_key(std::string_view name);
ObjectKey leader_worker_set_key(std::string_view name);

/// A cluster with queues of four cpus that follows them and their pods.
void start_serving(MiniCluster& cluster);

/// Creates or changes the StatefulSet of pods with one cpu each.
void put_stateful_set(MiniCluster& cluster, std::string_view name, int replicas);
/// What the StatefulSet controller writes. Example: "'replicas':2"
void set_status(MiniCluster& cluster, const ObjectKey& key, const std::string& status);
/// A pod of it as the webhook leaves it.
void put_pod_of_set(
    MiniCluster& cluster, std::string_view set, int ordinal, std::string_view revision = "r1"
);
/// The Workload of the StatefulSet.
ObjectKey workload_of_set(const MiniCluster& cluster, std::string_view name);

/// Creates or changes a LeaderWorkerSet whose replicas have a leader and a worker.
void put_leader_worker_set(MiniCluster& cluster, std::string_view name, int replicas);
/// The leader, or the worker, of a replica as the webhook leaves it.
void put_leader(MiniCluster& cluster, std::string_view set, int replica);
void put_worker(MiniCluster& cluster, std::string_view set, int replica);
/// The Workload of a replica.
ObjectKey workload_of_replica(const MiniCluster& cluster, std::string_view name, int replica);

}  // namespace sluice::controller
