// Checks if pods may run on the nodes of a flavor: taints, node selector, affinity and topology.
#pragma once

#include "api/core/pod.hpp"
#include "api/kueue/resource_flavor.hpp"
#include "api/kueue/workload.hpp"
#include "engine/types/objects.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

/// Decides if pods of a template may run on the nodes of a flavor: they tolerate its taints, and
/// its node labels match their node selector and affinity. Keys that the flavor does not label are
/// ignored.
namespace sluice::workload {

/// Topologies by name, each with the node labels of its levels.
using TopologyLevels = std::map<std::string, std::vector<std::string>, std::less<>>;

/// The requirements of a podSet that requests topology-aware scheduling.
struct TopologyNeed {
    bool names_level = true;             ///< false: no topology satisfies the request, as in Kueue
    std::vector<std::string> levels;     ///< levels that the topology must have
    std::vector<std::string> resources;  ///< resources that the containers request
    engine::TopologyRequest request;

    friend bool operator==(const TopologyNeed&, const TopologyNeed&) = default;
};

/// The part of a pod template that decides which flavors and nodes it may use.
struct PodShape {
    std::vector<api::Toleration> tolerations;
    api::StringMap node_selector;
    std::vector<api::NodeSelectorTerm> required_terms;
    bool has_required_affinity = false;
    std::vector<api::PreferredSchedulingTerm> preferred_terms;
    std::optional<TopologyNeed> topology;
    /// Extended resources that the pods request. Kubernetes makes pods tolerate a taint of such a
    /// name (admission plugin ExtendedResourceToleration).
    std::vector<std::string> extended_resources;
    std::vector<std::string> rejecting_nodes;  ///< names, see rejecting_nodes()
    /// Why no topology can be assigned to the pods; empty if nothing is wrong.
    std::string placement_fault;

    friend bool operator==(const PodShape&, const PodShape&) = default;
};

/// Returns the shape of a pod without its topology, which find_topology_need() returns.
PodShape make_pod_shape(const api::PodSpec& pod);

/// A node whose kubelet rejected a pod of the Workload.
struct RejectingNode {
    std::string name;
    Time at;  ///< when it did last
    friend bool operator==(const RejectingNode&, const RejectingNode&) = default;
};

/// Reads the annotation sluice.dev/rejected-by, such as "n1=2026-01-02T10:00:00Z,n2=…". Parts that
/// cannot be read are left out.
std::vector<RejectingNode> rejecting_nodes(const api::ObjectMeta& workload);

/// Returns the shape with the tolerations of its extended resources.
PodShape with_extended_tolerations(PodShape shape);

/// Adds what an admission check requests of the pods to the shape. A change that conflicts with the
/// pods becomes a fault of the shape.
void apply_update(
    const api::PodSetUpdate& update, const api::PodTemplateSpec& pods, PodShape& shape
);

/// Returns nullopt if the podSet does not request topology-aware scheduling. `requests`: those of
/// one of its pods.
std::optional<TopologyNeed> find_topology_need(
    const api::PodSet& pod_set, const api::ResourceList& requests
);

/// Returns a text that is equal for equal shapes only.
std::string to_key(const PodShape& shape);

/// Returns why the flavor's nodes do not accept such pods; nullopt if they accept them. The
/// topology is checked first, and only for flavors that name one. Only keys that the flavor labels
/// its nodes with are compared: a term without such a key makes the required affinity match
/// everywhere.
std::optional<engine::ShapeRefusal> find_refusal(
    const PodShape& shape, const api::ResourceFlavor& flavor, const TopologyLevels& topologies
);

/// Returns the fault of the required node affinity if find_refusal() returns InvalidAffinity, in
/// the words of Kubernetes.
std::string affinity_problem(const PodShape& shape, const api::ResourceFlavor& flavor);

}  // namespace sluice::workload
