// The pods on nodes that topologies do not place, and whose they are.
#pragma once

#include "api/core/pod.hpp"
#include "engine/types/amount.hpp"
#include "engine/types/objects.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace sluice::workload {

/// The sums of the requests of a node's pods.
struct NodePodSums {
    std::map<std::string, engine::Amount> taken;  ///< by all of them
    /// By pods of holders in flavors that enforce capacity, and by pods of workloads that are being
    /// deleted or whose workload has just given back its quota.
    std::map<std::string, engine::Amount> counted;
    std::size_t pods = 0;
};

/// The pods on nodes, but for those of workloads with a topology. A workload *claims* a podSet if
/// it holds quota for it in a flavor that enforces capacity.
class NodePods {
  public:
    /// The nodes whose sums a change touched, and the workloads whose running pods it touched.
    struct Touched {
        std::set<std::string> nodes;
        std::set<std::string> workloads;  ///< "namespace/name", see owner_key()
    };
    /// The number of running pods by podSet, then by node.
    using Running = std::map<std::string, std::map<std::string, std::int32_t>>;

    Touched set(const api::Pod& pod);
    Touched remove(const std::string& ns, const std::string& name);
    /// Takes the podSets that the workload claims now. `owner`: see owner_key().
    Touched claim(
        const std::string& owner, const std::string& workload, std::set<std::string> pod_sets
    );
    /// Returns true if some workload claims a podSet.
    bool has_claims() const { return !claims_.empty(); }
    /// Ends what the workload claims.
    Touched release(const std::string& workload);

    /// Returns nullptr for a node without pods.
    const NodePodSums* find(const std::string& node) const;
    /// Returns the running pods of an owner, without those that are being deleted: others take
    /// their place.
    const Running& running(const std::string& owner) const;
    /// Returns the workloads that claim pods of the owner.
    std::vector<std::string> claimants(const std::string& owner) const;
    /// Returns the owners of pods on the node.
    std::set<std::string> owners_on(const std::string& node) const;

  private:
    struct Owner {
        std::string workload;  ///< "namespace/name"
        std::string pod_set;
        friend bool operator==(const Owner&, const Owner&) = default;
    };
    using Requests = std::vector<engine::ResourceRequest>;
    /// A pod. Pods of one template share their requests, and those of a node its name.
    struct Pod {
        const std::string* node = nullptr;         ///< a key of nodes_
        std::shared_ptr<const Requests> requests;  ///< one of requests_
        std::unique_ptr<const Owner> owner;        ///< null for pods outside quota
        bool is_ending = false;
        bool is_counted = false;
    };
    /// The pods of one owner.
    struct Owned {
        std::set<std::string> pods;  ///< keys
        Running running;             ///< without those that are being deleted
    };

    struct RequestsLess {
        bool operator()(
            const std::shared_ptr<const Requests>& a, const std::shared_ptr<const Requests>& b
        ) const;
    };

    /// Returns these requests as other pods have them, if some do.
    std::shared_ptr<const Requests> share(Requests requests);
    bool is_claimed(const Owner& owner) const;
    bool is_counted(const Pod& pod) const;
    void add(const std::string& key, const Pod& pod, Touched& touched);
    void take_away(const std::string& key, const Pod& pod, Touched& touched);

    std::set<std::shared_ptr<const Requests>, RequestsLess> requests_;
    std::map<std::string, Pod> pods_;  // by namespace/name
    std::map<std::string, NodePodSums> nodes_;
    std::map<std::string, Owned> by_owner_;
    /// By owner and workload.
    std::map<std::string, std::map<std::string, std::set<std::string>>> claims_;
    std::map<std::string, std::string> owners_;  // of workloads that claim podSets
};

/// Returns the key under which pods know the workload: pods of an elastic job keep the name of its
/// first slice (annotation kueue.x-k8s.io/workload-slice-name).
std::string owner_key(const api::ObjectMeta& workload);

}  // namespace sluice::workload
