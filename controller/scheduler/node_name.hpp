// Names of ClusterQueues and Cohorts, where indices of the engine do not last.
#pragma once

#include "engine/state/state.hpp"

#include <compare>
#include <string>

namespace sluice::controller {

/// Names a node of the engine's quota tree. The node's index may be another node's after any event.
struct NodeName {
    bool is_cluster_queue = false;  ///< false: a Cohort
    std::string name;
    friend auto operator<=>(const NodeName&, const NodeName&) = default;
};

/// Returns the name of the node.
inline NodeName node_name_of(const engine::State& state, engine::NodeIndex node) {
    return {state.tree().node(node).is_cluster_queue, state.node_name(node)};
}

/// Returns the node of that name; an invalid index if the name is unknown.
inline engine::NodeIndex find_node(const engine::State& state, const NodeName& name) {
    return name.is_cluster_queue ? state.find_cluster_queue(name.name)
                                 : state.find_cohort(name.name);
}

}  // namespace sluice::controller
