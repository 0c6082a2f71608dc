// The assignment of a workload that holds quota and only needs a topology (a second pass).
#include "engine/flavors/flavor_assigner.hpp"

#include <algorithm>

namespace sluice::engine {

Assignment FlavorAssigner::held_assignment(const std::vector<std::int32_t>* counts) const {
    Assignment made;
    for (const AssignedPodSet& assigned : held_->assigned) {
        PodSetChoice& pod_set = made.pod_sets.emplace_back();
        pod_set.pod_set = assigned.pod_set;
        const std::int32_t left = record_.pod_sets[assigned.pod_set].count_after_reclaim();
        pod_set.count = assigned.count <= 0 ? assigned.count : std::min(left, assigned.count);
        const bool has_topology = has_topology_of(assigned.pod_set);
        const bool is_reduced = counts != nullptr && !has_topology && pod_set.count > 0;
        if (is_reduced) {
            pod_set.count = (*counts)[assigned.pod_set];
        }
        const bool needs_all = pod_set.count == assigned.count;
        // Kueue forgets that the topology of fewer pods was delayed.
        pod_set.delayed = is_reduced ? DelayedTopology::None : assigned.delayed;
        for (const AssignedFlavor& flavor : assigned.flavors) {
            const auto pair = state_.flavor_resource_of(flavor.flavor, flavor.resource);
            const Amount all = flavor.amount.value_or(Amount());
            const Amount amount =
                needs_all ? all : Amount(all.value() / assigned.count) * pod_set.count;
            pod_set.requests.push_back({.resource = flavor.resource, .amount = amount});
            pod_set.flavors.push_back(FlavorChoice{
                .resource = flavor.resource,
                .flavor = flavor.flavor,
                .flavor_resource = pair,
                .mode = AssignmentMode::Fit,
            });
            add_to(made.usage, pair, amount);
        }
    }
    made.mode = AssignmentMode::Fit;
    made.no_fit_reason = WaitingReason::Unspecified;
    const std::vector<Attempts> none(made.pod_sets.size());
    require_one_topology(made, none);
    if (made.mode != AssignmentMode::NoFit) {
        find_places(made, none);
    }
    return made;
}

}  // namespace sluice::engine
