// The nodes of each flavor, and those where new pods may start.
#pragma once

#include "api/core/core.hpp"
#include "api/kueue/resource_flavor.hpp"
#include "api/kueue/topology.hpp"
#include "workload/capacity/node_room.hpp"
#include "workload/pods/pod_shape.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace sluice::workload {

/// A node where new pods may not start, and why.
struct UnusableNode {
    const NodeRoom* room = nullptr;
    std::string reason;
};

/// The nodes that a flavor selects (ResourceFlavor.spec.nodeLabels).
struct FlavorNodes {
    const api::ResourceFlavor* flavor = nullptr;
    std::vector<std::string> levels;  ///< of its topology, from the coarsest; or none
    std::vector<NodeRoom*> usable;    ///< those that exist by name, then those that may come
    std::vector<UnusableNode> unusable;
    std::int64_t may_come = 0;
};

/// The nodes of a cluster with their flavors. *Lifetime*: the objects outlive it.
class ClusterNodes {
  public:
    ClusterNodes(
        const std::vector<const api::Node*>& nodes,
        const std::vector<const api::ResourceFlavor*>& flavors,
        const std::vector<const api::Topology*>& topologies
    );
    ClusterNodes(const ClusterNodes&) = delete;
    ClusterNodes& operator=(const ClusterNodes&) = delete;

    /// Returns nullptr for a node that does not exist.
    NodeRoom* find(const std::string& name);
    /// Returns the node with that label kubernetes.io/hostname; nullptr without one.
    NodeRoom* find_host(const std::string& hostname);
    const std::map<std::string, FlavorNodes>& flavors() const { return flavors_; }
    /// Returns the usable nodes that all these flavors select and that accept such pods. Without a
    /// flavor, all nodes are selected.
    std::vector<NodeRoom*> accepting(const std::vector<std::string>& flavors, const PodShape& shape)
        const;
    /// Returns the flavors that have nodes in common with this one, directly or through others, by
    /// name; at least itself. Requires: the flavor exists.
    const std::vector<std::string>& pool_of(const std::string& flavor) const {
        return *pools_.at(flavor);
    }
    /// Returns the annotations that cannot be read.
    const std::vector<std::string>& faults() const { return faults_; }

  private:
    void add_flavor(const api::ResourceFlavor& flavor, std::vector<std::string> levels);
    void grow(FlavorNodes& nodes);
    void find_pools();

    std::deque<api::Node> new_nodes_;  // deques, because pointers to their items are kept
    std::deque<NodeRoom> rooms_;
    std::map<std::string, NodeRoom*> by_name_;
    std::map<std::string, NodeRoom*> by_host_;
    std::map<std::string, FlavorNodes> flavors_;
    std::map<std::string, std::shared_ptr<std::vector<std::string>>> pools_;  // by flavor
    std::vector<std::string> faults_;
};

}  // namespace sluice::workload
