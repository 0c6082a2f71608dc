#include "sim/pods/pod_scheduler.hpp"

#include "sim/objects/fields.hpp"
#include "sim/pods/pod_life.hpp"
#include "sim/pods/pod_neighbours.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

namespace sluice::sim {

namespace {

/// The free resources of each node, by the node's name.
using Room = std::map<std::string, Amounts>;

bool is_ours(const json::Value& pod) {
    const std::string_view scheduler = text_at(pod, {"spec", "schedulerName"});
    return scheduler.empty() || scheduler == "default-scheduler";
}

bool waits_for_node(const json::Value& pod) {
    return text_at(pod, {"spec", "nodeName"}).empty() && !has_ended(pod) &&
           list_at(pod, {"spec", "schedulingGates"}).empty() && is_ours(pod) &&
           pod.find_path({"metadata", "deletionTimestamp"}) == nullptr;
}

bool fits(const Amounts::value_type& wanted, const Amounts& free) {
    const auto found = free.find(wanted.first);
    return wanted.second == 0 || (found != free.end() && wanted.second <= found->second);
}

bool fit(const Amounts& wanted, const Amounts& free) {
    return std::ranges::all_of(wanted, [&free](const auto& entry) { return fits(entry, free); });
}

/// Adds the resources that a node lacks, in the words of kube-scheduler.
void count_shortages(
    const Amounts& wanted, const Amounts& free, std::map<std::string, int>& reasons
) {
    for (const auto& entry : wanted) {
        if (!fits(entry, free)) {
            ++reasons[entry.first == "pods" ? "Too many pods" : "Insufficient " + entry.first];
        }
    }
}

Room free_room(const apiserver::Store::Objects& pods, const apiserver::Store::Objects& nodes) {
    Room free;
    for (const auto& [name, node] : nodes) {
        free[name.name] = room_of(*node);
    }
    for (const auto& [name, pod] : pods) {
        const auto node = free.find(std::string(text_at(*pod, {"spec", "nodeName"})));
        if (node == free.end() || has_ended(*pod)) {
            continue;
        }
        for (const auto& [resource, amount] : requests_of(*pod)) {
            node->second[resource] -= amount;
        }
    }
    return free;
}

struct Cluster {
    const apiserver::Store::Objects& nodes;
    Room free;
    PodNeighbours neighbours;
};

Placement place(apiserver::Snapshot pod, Cluster& cluster) {
    const apiserver::Store::Objects& nodes = cluster.nodes;
    if (nodes.empty()) {
        return {
            .pod = std::move(pod), .node = {}, .message = "no nodes available to schedule pods"
        };
    }
    const std::string no_node = fmt::format("0/{} nodes are available", nodes.size());
    const Amounts wanted = requests_of(*pod);
    const NodeDemands demands(*pod);
    std::map<std::string, std::string> obstacles;
    std::map<std::string, bool> is_possible;
    for (const auto& [name, node] : nodes) {
        std::string obstacle = demands.find_obstacle(*node);
        is_possible.emplace(name.name, obstacle.empty());
        obstacles.emplace(name.name, std::move(obstacle));
    }
    const auto among_others = cluster.neighbours.find_obstacles(*pod, is_possible);
    std::map<std::string, int> reasons;
    for (const auto& [name, node] : nodes) {
        Amounts& left = cluster.free[name.name];
        if (const std::string& obstacle = obstacles[name.name]; !obstacle.empty()) {
            ++reasons[obstacle];
            continue;
        }
        const auto other = among_others.find(name.name);
        if (other != among_others.end() && fit(wanted, left)) {
            ++reasons[other->second];
            continue;
        }
        if (fit(wanted, left)) {
            for (const auto& [resource, amount] : wanted) {
                left[resource] -= amount;
            }
            cluster.neighbours.place(*pod, name.name);
            return {.pod = std::move(pod), .node = name.name, .message = {}};
        }
        count_shortages(wanted, left, reasons);
    }
    std::string message = no_node;
    const char* separator = ": ";
    for (const auto& [reason, count] : reasons) {
        message += fmt::format("{}{} {}", std::exchange(separator, ", "), count, reason);
    }
    return {.pod = std::move(pod), .node = {}, .message = message + "."};
}

}  // namespace

std::vector<Placement> place_pods(const apiserver::Store& store) {
    const auto& pods = store.objects({"", "pods"});
    const auto& nodes = store.objects({"", "nodes"});
    std::vector<Placement> placements;
    std::optional<Cluster> cluster;
    for (const auto& [name, pod] : pods) {
        if (!waits_for_node(*pod)) {
            continue;
        }
        if (!cluster) {
            cluster.emplace(Cluster{
                .nodes = nodes,
                .free = free_room(pods, nodes),
                .neighbours = PodNeighbours(pods, nodes, store.objects({"", "namespaces"}))
            });
        }
        placements.push_back(place(pod, *cluster));
    }
    return placements;
}

}  // namespace sluice::sim
