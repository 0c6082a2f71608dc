#pragma once

#include "engine/reference_assignment.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sluice::reference {

/// Which flavors topology-aware scheduling allows a workload in a ClusterQueue (KEP-2724).
/// Without the gate no flavor has a topology and no podSet asks for one.
class TopologyRules {
  public:
    TopologyRules(
        const Rules& rules, const engine::ClusterQueue& queue, const engine::Workload& workload
    )
        : rules_(rules), queue_(queue), workload_(workload) {}

    bool has_topology(const std::string& flavor) const;
    /// Why the podSet may not go to the flavor, which stands in that resource group.
    std::optional<engine::FlavorRefusal::Kind> mismatch(
        std::size_t pod_set, const engine::ResourceGroup& resources, const std::string& flavor
    ) const;
    /// What is wrong with the flavors chosen for a podSet that gets a topology: exactly one of them
    /// must have one.
    std::vector<Complaint> errors(const PodSetResult& result) const;

  private:
    const engine::PodShape* shape_that_requests(std::size_t pod_set) const;
    std::vector<std::string> flavors_with_topology() const;
    bool are_all_with_topology() const;
    bool is_on() const { return rules_.options->gates.topology_aware_scheduling; }

    const Rules& rules_;
    const engine::ClusterQueue& queue_;
    const engine::Workload& workload_;
};

}  // namespace sluice::reference
