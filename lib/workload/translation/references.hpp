// Computes condition Active of a ClusterQueue and the admission checks that its workloads need.
#pragma once

#include "api/kueue/admission_check.hpp"
#include "api/kueue/cluster_queue.hpp"
#include "api/kueue/resource_flavor.hpp"
#include "workload/pods/pod_shape.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::workload {

/// The objects that ClusterQueues refer to, by name.
struct References {
    std::map<std::string, api::ResourceFlavor, std::less<>> flavors;
    std::map<std::string, api::AdmissionCheck, std::less<>> admission_checks;
    TopologyLevels topologies;
    std::map<std::string, std::string, std::less<>> cohort_parents;  ///< of cohorts that have one
};

/// The content of condition Active.
struct Activity {
    bool is_active = true;
    std::string reason;
    std::string message;

    friend bool operator==(const Activity&, const Activity&) = default;
};

/// Returns whether the ClusterQueue may admit workloads, with the reason. `with_topology`: the gate
/// TopologyAwareScheduling is on.
Activity find_activity(
    const api::ClusterQueue& queue, const References& references, bool with_topology
);

/// Returns the cycle that the cohort's parents form, as `a -> b -> a` with the smallest name first.
/// Empty if they do not form a cycle. The cohort itself need not be part of the cycle.
std::string find_cohort_cycle(const References& references, std::string_view cohort);

/// Returns true if workloads of the queue run in other clusters (MultiKueue).
bool has_multi_kueue_check(const api::ClusterQueue& queue, const References& references);
/// Returns the names of the flavors whose nodes a ProvisioningRequest makes, sorted.
std::vector<std::string> flavors_to_provision(
    const api::ClusterQueue& queue, const References& references
);

/// Returns the names of the queue's flavors, in the order of its spec.
std::vector<std::string> flavor_names(const api::ClusterQueue& queue);

/// Returns the names of the admission checks that a workload of the queue needs. With
/// `assigned_flavors`: the checks that apply to at least one of them. With nullptr (no admission
/// yet): the checks that apply to all flavors of the queue.
std::set<std::string> required_checks(
    const api::ClusterQueue& queue, const std::set<std::string>* assigned_flavors
);

}  // namespace sluice::workload
