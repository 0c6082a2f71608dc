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

/// What ClusterQueues refer to, by name.
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

/// Whether the ClusterQueue may admit workloads, and why not. `with_topology`: the gate
/// TopologyAwareScheduling is on.
Activity find_activity(
    const api::ClusterQueue& queue, const References& references, bool with_topology
);

/// The cycle that the cohort's parents form, as `a -> b -> a` from the first name on; "" when there
/// is none. The cohort itself need not be on it.
std::string find_cohort_cycle(const References& references, std::string_view cohort);

/// The names of its flavors, in the order of its spec.
std::vector<std::string> flavor_names(const api::ClusterQueue& queue);

/// The checks that a workload of this queue needs, by name: with an admission, those of
/// the assigned flavors; without, those that concern all flavors of the queue.
std::set<std::string> required_checks(
    const api::ClusterQueue& queue, const std::set<std::string>* assigned_flavors
);

}  // namespace sluice::workload
