// Checks if pods may run on a node: labels, taints, node selector and affinity.
#pragma once

#include "api/core/core.hpp"
#include "api/core/pod.hpp"
#include "api/kueue/resource_flavor.hpp"
#include "engine/types/objects.hpp"
#include "workload/pods/pod_shape.hpp"

#include <optional>
#include <string>
#include <vector>

/// Decides if pods of a shape may run on a node, as topology-aware scheduling sees it (KEP-2724).
namespace sluice::workload {

/// Returns a taint as Kubernetes prints it: key=value:Effect.
std::string printed_taint(const api::Taint& taint);

/// Returns true if new pods may start on the node: it is Ready and not cordoned.
bool is_usable(const api::Node& node);

/// Returns the values of the node's labels for these levels; nullopt if the flavor does not select
/// the node (ResourceFlavor.spec.nodeLabels) or the node lacks the label of a level. An empty value
/// of a node label of the flavor also selects nodes without it.
std::optional<std::vector<std::string>> place_of(
    const api::Node& node, const api::ResourceFlavor& flavor, const std::vector<std::string>& levels
);

/// Returns the verdict of a node of the flavor on pods of the shape; nullopt if the pods may run
/// there without a preference. `shape_id` is copied.
std::optional<engine::NodeVerdict> find_verdict(
    const PodShape& shape,
    std::uint32_t shape_id,
    const api::ResourceFlavor& flavor,
    const api::Node& node
);

/// Returns true if the pod's annotations ask for a topology, whatever they say.
bool asks_for_topology(const api::ObjectMeta& pod);

/// Returns true if the pod takes room on its node and is not part of a workload with a topology: it
/// has a node, has not ended, and its annotations ask for no topology.
bool is_foreign(const api::Pod& pod);

}  // namespace sluice::workload
