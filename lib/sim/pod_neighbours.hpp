#pragma once

#include "apiserver/store.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::sim {

/// Pods of the cluster and the nodes that they are on, to which the next one's affinities and
/// spreading are held: `requiredDuringSchedulingIgnoredDuringExecution` of podAffinity and
/// podAntiAffinity, its own and those of the others, and topologySpreadConstraints that say
/// `DoNotSchedule`. What is only preferred counts for nothing.
class PodNeighbours {
  public:
    /// Lifetime: that of the objects.
    PodNeighbours(
        const apiserver::Store::Objects& pods,
        const apiserver::Store::Objects& nodes,
        const apiserver::Store::Objects& namespaces
    );

    /// The pod is on the node from now on.
    void place(const json::Value& pod, const std::string& node);

    /// What stands against each node, in the words of kube-scheduler; nodes that are not there have
    /// nothing against them. `is_possible`: whether the pod may run on the node for what the node
    /// is, by name.
    std::map<std::string, std::string> find_obstacles(
        const json::Value& pod, const std::map<std::string, bool>& is_possible
    ) const;

  private:
    struct Placed {
        const json::Value* pod;
        const json::Value* node;
    };

    bool is_meant(const json::Value& term, const json::Value& of, const json::Value& other) const;
    std::string find_affinity_obstacle(const json::Value& pod, const json::Value& node) const;
    std::string find_spread_obstacle(
        const json::Value& pod,
        const json::Value& node,
        const std::map<std::string, bool>& is_possible
    ) const;

    const apiserver::Store::Objects& nodes_;
    const apiserver::Store::Objects& namespaces_;
    std::vector<Placed> placed_;
};

}  // namespace sluice::sim
