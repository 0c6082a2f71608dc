#pragma once

#include "controller/mini_cluster.hpp"

#include <string>
#include <string_view>

/// Jobs of one pod in namespace `team`, which queue in LocalQueue `main` for the four cpus of
/// ClusterQueue `cq`.
namespace sluice::controller {

/// The Job as its user makes it, suspended. `more_labels` follows the queue's label.
std::string job(std::string_view name, int cpu, std::string_view more_labels = "");
ObjectKey job_key(std::string_view name);
/// Of the one Workload of the Job.
ObjectKey workload_key(const MiniCluster& cluster, std::string_view name);
/// Makes the namespace, the flavor `spot` and the two queues.
void make_queues(MiniCluster& cluster);
/// What the Job controller writes: all of its pods are done, or how many run.
void complete(MiniCluster& cluster, std::string_view name);
void set_active_pods(MiniCluster& cluster, std::string_view name, int count);
bool is_running(const MiniCluster& cluster, std::string_view name);
bool has_event(const MiniCluster& cluster, std::string_view reason, std::string_view note);

}  // namespace sluice::controller
