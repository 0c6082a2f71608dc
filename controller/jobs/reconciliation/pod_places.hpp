// Chooses the topology domain of each gated pod of a pod set, by rank if pods have ranks.
#pragma once

#include "api/core/pod.hpp"
#include "api/kueue/topology_assignment.hpp"
#include "api/kueue/workload.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// The domains of pods (KEP-2724). If each pod has a rank in its pod set, the pods of neighbouring
/// ranks share domains; otherwise domains are filled in their order.
namespace sluice::controller {

/// A pod with the scheduling gate `kueue.x-k8s.io/topology`, and its domain in the assignment.
struct PlacedPod {
    const api::Pod* pod = nullptr;
    std::size_t domain = 0;  ///< an index into DomainAssignment::domains
};

using Pods = std::vector<std::shared_ptr<const api::Pod>>;

/// Returns the domains of the gated pods. `workload`: has an admission with `assignment`, one of
/// its podSets. `domains`: the decoded topology assignment. `pods`: those of the pod set that have
/// not ended. A pod for which no room is left in any domain is not returned, nor is a pod that runs
/// in a domain counted again. Lifetime: that of the pods.
std::vector<PlacedPod> place_pods(
    const api::Workload& workload,
    const api::PodSetAssignment& assignment,
    const api::DomainAssignment& domains,
    const Pods& pods
);

/// Returns true if the pod's node selector names the domain. `levels`: those of the assignment.
bool is_in(
    const api::Pod& pod, const std::vector<std::string>& levels, const api::AssignedDomain& domain
);

/// Returns true if the pod has the scheduling gate of that name.
bool has_scheduling_gate(const api::Pod& pod, std::string_view gate);

}  // namespace sluice::controller
