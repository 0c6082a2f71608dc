#pragma once

#include "api/pod.hpp"
#include "api/resource_flavor.hpp"
#include "engine/objects.hpp"

#include <optional>
#include <string>

/// Whether pods of a template may run on the nodes of a flavor (spec 4.6).
namespace sluice::workload {

/// What of a pod template decides about flavors, and nothing else.
struct PodShape {
    std::vector<api::Toleration> tolerations;
    api::StringMap node_selector;
    std::vector<api::NodeSelectorTerm> required_terms;

    friend bool operator==(const PodShape&, const PodShape&) = default;
};

PodShape make_pod_shape(const api::PodSpec& pod);

/// Equal for equal shapes alone.
std::string to_key(const PodShape& shape);

/// Why the flavor's nodes do not take such pods; none: they do. Only keys that the flavor labels
/// its nodes with are compared, and one term without such a key makes the required affinity match
/// everywhere.
std::optional<engine::ShapeRefusal> find_refusal(
    const PodShape& shape, const api::ResourceFlavor& flavor
);

/// What of the required node affinity cannot be read, where find_refusal() says so: in the words of
/// Kubernetes.
std::string affinity_problem(const PodShape& shape, const api::ResourceFlavor& flavor);

}  // namespace sluice::workload
