#pragma once

#include "controller/mini_cluster.hpp"

#include <map>
#include <string>
#include <string_view>

namespace sluice::controller {

/// A managed pod as its webhook leaves it, of the LocalQueue `main` of the namespace `team`.
struct PodText {
    std::string name;
    std::string cpu = "1";
    std::map<std::string, std::string> labels;
    std::map<std::string, std::string> annotations;
    bool is_managed = true;

    std::string text() const;
};

/// A pod of the group `train` of so many, with that role.
PodText group_pod(std::string_view name, int total, std::string_view role = "r1");

ObjectKey pod_key(std::string_view name);
ObjectKey group_workload();

/// A cluster with queues that follows pods.
void start_with_pods(MiniCluster& cluster);
void put_pod(MiniCluster& cluster, const PodText& pod);
/// Plays kubelet. Example: "'phase':'Succeeded'"
void set_pod_status(MiniCluster& cluster, std::string_view name, const std::string& status);
/// Plays kube-scheduler and kubelet: it runs on a node.
void run_pod(MiniCluster& cluster, std::string_view name);
/// The user deletes it.
void delete_pod(MiniCluster& cluster, std::string_view name);
bool is_there(const MiniCluster& cluster, const ObjectKey& key);
bool is_pod_gated(const MiniCluster& cluster, std::string_view name);
bool is_pod_deleted(const MiniCluster& cluster, std::string_view name);
bool holds_pod(const MiniCluster& cluster, std::string_view name);

}  // namespace sluice::controller
