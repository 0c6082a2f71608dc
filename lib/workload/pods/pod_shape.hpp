#pragma once

#include "api/core/pod.hpp"
#include "api/kueue/resource_flavor.hpp"
#include "api/kueue/workload.hpp"
#include "engine/types/objects.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

/// Whether pods of a template may run on the nodes of a flavor: its taints are tolerated,
/// and its labels match the node selector and affinity as far as its labels have their keys.
namespace sluice::workload {

/// Topologies by name, each with the node labels of its levels.
using TopologyLevels = std::map<std::string, std::vector<std::string>, std::less<>>;

/// What a podSet that asks for topology-aware scheduling itself needs of a flavor.
struct TopologyNeed {
    bool names_level = true;             ///< false: no topology will do, as Kueue reads the request
    bool requires_domain = false;        ///< all pods, or each slice, must run within one domain
    std::vector<std::string> levels;     ///< that the topology must have
    std::vector<std::string> resources;  ///< what its containers request

    friend bool operator==(const TopologyNeed&, const TopologyNeed&) = default;
};

/// What of a pod template decides about flavors, and nothing else.
struct PodShape {
    std::vector<api::Toleration> tolerations;
    api::StringMap node_selector;
    std::vector<api::NodeSelectorTerm> required_terms;
    std::optional<TopologyNeed> topology;

    friend bool operator==(const PodShape&, const PodShape&) = default;
};

/// Without topology: see find_topology_need().
PodShape make_pod_shape(const api::PodSpec& pod);

/// None: it does not ask for topology-aware scheduling. `requests`: of one of its pods.
std::optional<TopologyNeed> find_topology_need(
    const api::PodSet& pod_set, const api::ResourceList& requests
);

/// Equal for equal shapes alone.
std::string to_key(const PodShape& shape);

/// Why the flavor's nodes do not take such pods; none: they do. What is asked of a topology counts
/// for flavors that name one, and goes before the rest. Only keys that the flavor labels
/// its nodes with are compared, and one term without such a key makes the required affinity match
/// everywhere.
std::optional<engine::ShapeRefusal> find_refusal(
    const PodShape& shape, const api::ResourceFlavor& flavor, const TopologyLevels& topologies
);

/// What of the required node affinity cannot be read, where find_refusal() says so: in the words of
/// Kubernetes.
std::string affinity_problem(const PodShape& shape, const api::ResourceFlavor& flavor);

}  // namespace sluice::workload
