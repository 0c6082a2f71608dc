#pragma once

#include "apiserver/state/store.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
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

    /// Values of a label of nodes: where pods of some sort are.
    struct Domains {
        std::string_view key;
        std::set<std::string, std::less<>> values;

        bool hold(const json::Value& node) const;
    };
    /// What one constraint of spreading allows.
    struct Spread {
        std::string_view key;
        std::map<std::string, std::int64_t, std::less<>> counts;  ///< of pods, by domain
        std::int64_t most = 0;                                    ///< that a domain may have before
    };
    /// What the others ask of a pod, gathered once for all nodes.
    struct Demands {
        std::vector<Domains> near;       ///< it must be in each
        std::vector<Domains> apart;      ///< it must be in none, for its own sake
        std::vector<Domains> forbidden;  ///< nor in these, for the sake of others
        std::vector<Spread> spreads;
    };

    bool is_meant(const json::Value& term, const json::Value& of, const json::Value& other) const;
    Domains domains_of(const json::Value& term, const json::Value& pod) const;
    Demands gather(const json::Value& pod, const std::map<std::string, bool>& is_possible) const;
    Spread gather_spread(
        const json::Value& constraint,
        const json::Value& pod,
        const std::map<std::string, bool>& is_possible
    ) const;
    static std::string find_obstacle(const Demands& demands, const json::Value& node);

    const apiserver::Store::Objects& nodes_;
    const apiserver::Store::Objects& namespaces_;
    std::vector<Placed> placed_;
};

}  // namespace sluice::sim
