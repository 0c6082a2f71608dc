// Inter-pod affinity and topology spread constraints for the scheduler of pods.
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

/// Checks the affinities and the spreading of a pod against the pods on all nodes:
/// `requiredDuringSchedulingIgnoredDuringExecution` of podAffinity and podAntiAffinity, of this pod
/// and of the others, and topologySpreadConstraints with `DoNotSchedule`. Preferences are ignored.
class PodNeighbours {
  public:
    /// *Lifetime*: refers to the objects.
    PodNeighbours(
        const apiserver::Store::Objects& pods,
        const apiserver::Store::Objects& nodes,
        const apiserver::Store::Objects& namespaces
    );

    /// Records that the pod is on the node from now on.
    void place(const json::Value& pod, const std::string& node);

    /// Returns the obstacle of each node, in the words of kube-scheduler; nodes without an obstacle
    /// are absent. `is_possible`: by name of a node, true if the pod may run there regardless of
    /// other pods.
    std::map<std::string, std::string> find_obstacles(
        const json::Value& pod, const std::map<std::string, bool>& is_possible
    ) const;

  private:
    struct Placed {
        const json::Value* pod;
        const json::Value* node;
    };

    /// Values of a node label: the domains that have pods of some kind.
    struct Domains {
        std::string_view key;
        std::set<std::string, std::less<>> values;

        bool hold(const json::Value& node) const;
    };
    /// The room that one spread constraint leaves.
    struct Spread {
        std::string_view key;
        std::map<std::string, std::int64_t, std::less<>> counts;  ///< number of pods, by domain
        /// Pods that a domain may have before this pod is added.
        std::int64_t most = 0;
    };
    /// The requirements of the other pods on this pod, gathered once for all nodes.
    struct Demands {
        std::vector<Domains> near;       ///< the node must be in each of these
        std::vector<Domains> apart;      ///< the node must not be in these, because of this pod
        std::vector<Domains> forbidden;  ///< the node must not be in these, because of other pods
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
