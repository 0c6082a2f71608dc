// The flavors that topology-aware scheduling allows (KEP-2724): those with the topology and levels
// that the pods ask for, and one flavor with a topology for each podSet. Sluice does not choose
// domains: pods that require a domain wait.
#include "engine/flavors/flavor_assigner.hpp"

#include <algorithm>

namespace sluice::engine {

bool FlavorAssigner::is_for_topology_alone() const {
    return state_.options().gates.topology_aware_scheduling &&
           std::all_of(queue_.groups.begin(), queue_.groups.end(), [&](const ResolvedGroup& group) {
               return std::all_of(
                   group.flavors.begin(),
                   group.flavors.end(),
                   [&](FlavorIndex flavor) { return state_.flavor_has_topology(flavor); }
               );
           });
}

bool FlavorAssigner::requests_topology() const {
    return state_.options().gates.topology_aware_scheduling &&
           std::any_of(
               record_.pod_sets.begin(),
               record_.pod_sets.end(),
               [&](const PodSetRecord& pod_set) {
                   return state_.topology_resources(pod_set.shape) != nullptr;
               }
           );
}

std::optional<FlavorRefusal::Kind> FlavorAssigner::topology_refusal(
    std::size_t pod_set, std::size_t resource_group, FlavorIndex flavor
) const {
    const bool has_topology = state_.flavor_has_topology(flavor);
    if (!state_.options().gates.topology_aware_scheduling ||
        (!has_topology && !looks_at_topology_)) {
        return std::nullopt;
    }
    const auto* resources = state_.topology_resources(record_.pod_sets[pod_set].shape);
    if (resources == nullptr) {
        return has_topology && !implies_topology_ ? std::optional(FlavorRefusal::Kind::TopologyOnly)
                                                  : std::nullopt;
    }
    if (has_topology) {
        return std::nullopt;
    }
    // A flavor without topology may provide resources that no container requests.
    const auto& covered = queue_.groups[resource_group].resources;
    const bool overlaps =
        std::any_of(resources->begin(), resources->end(), [&](ResourceIndex resource) {
            return std::find(covered.begin(), covered.end(), resource) != covered.end();
        });
    return overlaps ? std::optional(FlavorRefusal::Kind::TopologyUnsupported) : std::nullopt;
}

void FlavorAssigner::add_topology_of_group(const FlavorChoices& chosen, PodSetChoice& pod_set)
    const {
    if (!state_.options().gates.topology_aware_scheduling ||
        record_.pod_sets[pod_set.pod_set].group.empty()) {
        return;
    }
    for (const auto& choice : chosen) {
        if (state_.flavor_has_topology(choice.flavor)) {
            pod_set.flavors.push_back(choice);
        }
    }
}

std::vector<FlavorRefusal> FlavorAssigner::topology_faults(const PodSetChoice& pod_set) const {
    using Kind = FlavorRefusal::Kind;
    const bool in_queue =
        std::any_of(queue_.groups.begin(), queue_.groups.end(), [&](const ResolvedGroup& group) {
            return std::any_of(group.flavors.begin(), group.flavors.end(), [&](FlavorIndex flavor) {
                return state_.flavor_has_topology(flavor);
            });
        });
    if (!in_queue) {
        return {FlavorRefusal{.kind = Kind::NoTopologyInQueue, .flavor = {}, .resource = {}}};
    }
    std::vector<FlavorIndex> chosen;
    for (const auto& choice : pod_set.flavors) {
        const bool is_known =
            std::find(chosen.begin(), chosen.end(), choice.flavor) != chosen.end();
        if (!is_known && state_.flavor_has_topology(choice.flavor)) {
            chosen.push_back(choice.flavor);
        }
    }
    if (chosen.size() == 1) {
        return {};
    }
    if (chosen.empty()) {
        return {FlavorRefusal{.kind = Kind::NoTopologyFlavor, .flavor = {}, .resource = {}}};
    }
    std::sort(chosen.begin(), chosen.end(), [&](FlavorIndex a, FlavorIndex b) {
        return state_.flavor_name(a) < state_.flavor_name(b);
    });
    std::vector<FlavorRefusal> faults;
    faults.reserve(chosen.size());
    for (const auto flavor : chosen) {
        faults.push_back({.kind = Kind::TwoTopologyFlavors, .flavor = flavor, .resource = {}});
    }
    return faults;
}

std::vector<FlavorRefusal> FlavorAssigner::unplaced(const PodSetChoice& pod_set) const {
    for (const auto& choice : pod_set.flavors) {
        if (state_.flavor_has_topology(choice.flavor)) {
            return {FlavorRefusal{
                .kind = FlavorRefusal::Kind::DomainNotPlaced,
                .flavor = choice.flavor,
                .resource = {},
            }};
        }
    }
    return {};
}

void FlavorAssigner::require_one_topology(
    Assignment& assignment, const SmallVector<WaitingReason, 1>& reasons
) const {
    for (std::size_t i = 0; i < assignment.pod_sets.size(); ++i) {
        PodSetChoice& pod_set = assignment.pod_sets[i];
        const std::uint32_t shape = record_.pod_sets[pod_set.pod_set].shape;
        const bool gets_topology = implies_topology_ || state_.topology_resources(shape) != nullptr;
        if (!gets_topology || pod_set.count == 0) {
            continue;
        }
        auto faults = topology_faults(pod_set);
        auto reason = reasons[i];
        if (faults.empty() && state_.requires_domain(shape)) {
            faults = unplaced(pod_set);
            reason = WaitingReason::TopologyPlacementFailed;
        }
        if (!faults.empty()) {
            pod_set.refusals = std::move(faults);
            pod_set.failed = true;
            assignment.mode = AssignmentMode::NoFit;
            assignment.no_fit_reason = more_severe(assignment.no_fit_reason, reason);
        }
    }
}

}  // namespace sluice::engine
