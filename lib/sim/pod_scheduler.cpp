#include "sim/pod_scheduler.hpp"

#include "sim/fields.hpp"
#include "sim/host_ports.hpp"
#include "sim/pod_life.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace sluice::sim {

namespace {

/// What a node has left for pods.
struct NodeRoom {
    Amounts free;
    std::vector<HostPort> taken_ports;
};
using Room = std::map<std::string, NodeRoom>;

constexpr const char* kPortsTaken = "node(s) didn't have free ports for the requested pod ports";

bool waits_for_node(const json::Value& pod) {
    return text_at(pod, {"spec", "nodeName"}).empty() && !has_ended(pod) &&
           list_at(pod, {"spec", "schedulingGates"}).empty() &&
           pod.find_path({"metadata", "deletionTimestamp"}) == nullptr;
}

bool fits(const Amounts::value_type& wanted, const Amounts& free) {
    const auto found = free.find(wanted.first);
    return wanted.second == 0 || (found != free.end() && wanted.second <= found->second);
}

bool fit(const Amounts& wanted, const Amounts& free) {
    return std::ranges::all_of(wanted, [&free](const auto& entry) { return fits(entry, free); });
}

/// Adds what a node has too little of, in the words of kube-scheduler.
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
        free[name.name].free = room_of(*node);
    }
    for (const auto& [name, pod] : pods) {
        const auto node = free.find(std::string(text_at(*pod, {"spec", "nodeName"})));
        if (node == free.end() || has_ended(*pod)) {
            continue;
        }
        for (const auto& [resource, amount] : requests_of(*pod)) {
            node->second.free[resource] -= amount;
        }
        std::ranges::move(host_ports_of(*pod), std::back_inserter(node->second.taken_ports));
    }
    return free;
}

Placement place(apiserver::Snapshot pod, const apiserver::Store::Objects& nodes, Room& free) {
    const Amounts wanted = requests_of(*pod);
    const std::vector<HostPort> ports = host_ports_of(*pod);
    const NodeDemands demands(*pod);
    std::map<std::string, int> reasons;
    for (const auto& [name, node] : nodes) {
        const std::string obstacle = demands.find_obstacle(*node);
        NodeRoom& left = free[name.name];
        if (!obstacle.empty()) {
            ++reasons[obstacle];
            continue;
        }
        if (are_taken(ports, left.taken_ports)) {
            ++reasons[kPortsTaken];
            continue;
        }
        if (fit(wanted, left.free)) {
            for (const auto& [resource, amount] : wanted) {
                left.free[resource] -= amount;
            }
            std::ranges::copy(ports, std::back_inserter(left.taken_ports));
            return {.pod = std::move(pod), .node = name.name, .message = {}};
        }
        count_shortages(wanted, left.free, reasons);
    }
    std::string message = fmt::format("0/{} nodes are available", nodes.size());
    const char* separator = ": ";
    for (const auto& [reason, count] : reasons) {
        message += fmt::format("{}{} {}", std::exchange(separator, ", "), count, reason);
    }
    return {.pod = std::move(pod), .node = {}, .message = message + "."};
}

}  // namespace

std::vector<Placement> place_pods(
    const apiserver::Store::Objects& pods, const apiserver::Store::Objects& nodes
) {
    std::vector<Placement> placements;
    Room free;
    for (const auto& [name, pod] : pods) {
        if (waits_for_node(*pod)) {
            if (placements.empty()) {
                free = free_room(pods, nodes);
            }
            placements.push_back(place(pod, nodes, free));
        }
    }
    return placements;
}

}  // namespace sluice::sim
