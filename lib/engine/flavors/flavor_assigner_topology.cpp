// The flavors that topology-aware scheduling allows (KEP-2724): those with the topology and levels
// that the pods ask for, and one flavor with a topology for each podSet; then the places.
#include "engine/flavors/flavor_assigner.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

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

namespace {

FlavorRefusal elastic_fault(PlacementFailure::Kind kind, std::string text) {
    PlacementFailure failure;
    failure.kind = kind;
    failure.text = std::move(text);
    return {
        .kind = FlavorRefusal::Kind::NotPlaced,
        .flavor = {},
        .resource = {},
        .placement = std::make_shared<const PlacementFailure>(std::move(failure)),
    };
}

}  // namespace

std::vector<FlavorRefusal> FlavorAssigner::elastic_faults(const PodSetChoice& pod_set) const {
    const ShapeRecord* shape = state_.find_shape(record_.pod_sets[pod_set.pod_set].shape);
    if (replaced_ == nullptr || !state_.options().gates.tas_elastic_jobs || shape == nullptr ||
        !shape->topology || (!shape->topology->required && !shape->topology->preferred)) {
        return {};
    }
    return {elastic_fault(
        shape->topology->required ? PlacementFailure::Kind::ElasticWithRequired
                                  : PlacementFailure::Kind::ElasticWithPreferred,
        ""
    )};
}

std::variant<std::vector<LeafPods>, FlavorRefusal> FlavorAssigner::kept_by(
    const PodSetChoice& pod_set, FlavorIndex flavor
) const {
    std::vector<LeafPods> kept;
    if (replaced_ == nullptr || !state_.options().gates.tas_elastic_jobs) {
        return kept;
    }
    const std::string& name = record_.pod_sets[pod_set.pod_set].name;
    const HeldTopology* topology = replaced_->find_topology(name, flavor);
    if (topology == nullptr) {
        return kept;
    }
    const FlavorTopology& of = *state_.topologies().find(flavor);
    kept.reserve(topology->domains.size());
    for (const DomainPods& domain : topology->domains) {
        const auto leaf = of.find_leaf(domain.id);
        if (!leaf) {
            return elastic_fault(PlacementFailure::Kind::ElasticOnLostNode, domain.id);
        }
        kept.push_back({.leaf = *leaf, .count = domain.count});
    }
    return kept;
}

bool FlavorAssigner::has_unhealthy_nodes() const {
    return held_ != nullptr && !held_->unhealthy_nodes.empty();
}

bool FlavorAssigner::has_topology_of(std::uint32_t pod_set) const {
    return std::ranges::any_of(held_->topologies, [pod_set](const HeldTopology& topology) {
        return topology.pod_set == pod_set;
    });
}

bool FlavorAssigner::keeps_topology(const PodSetChoice& pod_set) const {
    if (held_ == nullptr) {
        return false;
    }
    const auto& all = held_->topologies;
    const auto at = std::find_if(all.begin(), all.end(), [&](const HeldTopology& topology) {
        return topology.pod_set == pod_set.pod_set;
    });
    if (at == all.end()) {
        return false;
    }
    return std::none_of(at->domains.begin(), at->domains.end(), [&](const DomainPods& domain) {
        const std::string host = domain.id.substr(domain.id.rfind(',') + 1);
        return std::find(held_->unhealthy_nodes.begin(), held_->unhealthy_nodes.end(), host) !=
               held_->unhealthy_nodes.end();
    });
}

DelayedTopology FlavorAssigner::delay_of(const PodSetChoice& pod_set, FlavorIndex flavor) const {
    const auto& delayed = queue_.spec.delayed_flavors;
    const bool waits_for_check =
        held_ == nullptr &&
        std::binary_search(delayed.begin(), delayed.end(), state_.flavor_name(flavor));
    return queue_.spec.places_elsewhere || waits_for_check ? DelayedTopology::Pending
                                                           : pod_set.delayed;
}

void FlavorAssigner::refuse_flavors(
    Assignment& assignment,
    std::size_t choice,
    std::vector<FlavorRefusal> faults,
    const std::vector<Attempts>& attempts
) const {
    assignment.pod_sets[choice].refusals = std::move(faults);
    assignment.pod_sets[choice].failed = true;
    assignment.mode = AssignmentMode::NoFit;
    assignment.no_fit_reason = more_severe_of(assignment.no_fit_reason, attempts[choice]);
}

void FlavorAssigner::require_one_topology(
    Assignment& assignment, const std::vector<Attempts>& attempts
) const {
    for (std::size_t i = 0; i < assignment.pod_sets.size(); ++i) {
        PodSetChoice& pod_set = assignment.pod_sets[i];
        const std::uint32_t shape = record_.pod_sets[pod_set.pod_set].shape;
        const bool is_requested = state_.topology_resources(shape) != nullptr;
        if ((!implies_topology_ && !is_requested) || pod_set.count == 0 ||
            keeps_topology(pod_set)) {
            continue;
        }
        auto faults = elastic_faults(pod_set);
        if (faults.empty()) {
            faults = topology_faults(pod_set);
        }
        if (!faults.empty()) {
            refuse_flavors(assignment, i, std::move(faults), attempts);
            continue;
        }
        const auto choice = std::ranges::find_if(pod_set.flavors, [this](const FlavorChoice& c) {
            return state_.flavor_has_topology(c.flavor);
        });
        pod_set.delayed = delay_of(pod_set, choice->flavor);
        const bool is_late = pod_set.delayed == DelayedTopology::Pending &&
                             (held_ == nullptr || queue_.spec.places_elsewhere);
        if (is_late || state_.topologies().find(choice->flavor) == nullptr) {
            continue;
        }
        auto kept = kept_by(pod_set, choice->flavor);
        if (auto* fault = std::get_if<FlavorRefusal>(&kept)) {
            refuse_flavors(assignment, i, {std::move(*fault)}, attempts);
            continue;
        }
        assignment.write_places().to_place.push_back(
            {.pod_set = pod_set.pod_set,
             .count = pod_set.count,
             .flavor = choice->flavor,
             .is_implied = !is_requested,
             .kept = std::get<std::vector<LeafPods>>(std::move(kept))}
        );
    }
}

bool FlavorAssigner::is_held_to_nodes() const {
    return state_.enforces_capacity() && !queue_.spec.places_elsewhere && held_ == nullptr &&
           std::ranges::any_of(queue_.groups, [this](const ResolvedGroup& group) {
               return std::ranges::any_of(group.flavors, [this](FlavorIndex flavor) {
                   return state_.enforcing_flavor({&flavor, 1}).is_valid();
               });
           });
}

void FlavorAssigner::hold_to_nodes(Assignment& assignment) const {
    for (const PodSetChoice& pod_set : assignment.pod_sets) {
        std::vector<FlavorIndex> flavors;
        flavors.reserve(pod_set.flavors.size());
        for (const FlavorChoice& choice : pod_set.flavors) {
            flavors.push_back(choice.flavor);
        }
        const FlavorIndex flavor = state_.enforcing_flavor(flavors);
        if (!flavor.is_valid() || state_.topologies().find(flavor) == nullptr) {
            continue;
        }
        // The pods of a slice that is replaced stay where they are.
        const std::string& name = record_.pod_sets[pod_set.pod_set].name;
        const std::int64_t kept = replaced_ == nullptr ? 0 : replaced_->pods_on_nodes(name, flavor);
        if (pod_set.count > kept) {
            assignment.write_places().to_place.push_back(
                {.pod_set = pod_set.pod_set,
                 .count = static_cast<std::int32_t>(pod_set.count - kept),
                 .flavor = flavor,
                 .is_implied = true}
            );
        }
    }
}

LeafDemand FlavorAssigner::added_by(const PlacedPodSet& placed) const {
    LeafDemand added = placed.demand;
    const FlavorTopology& of = *state_.topologies().find(added.flavor);
    if (replaced_ != nullptr) {
        // Pods of the replaced slice stay on a node that takes no others, a cordoned one.
        std::erase_if(added.leaves, [&of](const LeafPods& pods) {
            return !of.is_present(pods.leaf);
        });
    }
    if (held_ == nullptr) {
        return added;
    }
    for (const HeldTopology& topology : held_->topologies) {
        if (topology.pod_set != placed.pod_set || topology.flavor != added.flavor) {
            continue;
        }
        for (const DomainPods& domain : topology.domains) {
            const auto leaf = of.find_leaf(domain.id);
            for (LeafPods& pods : added.leaves) {
                pods.count -= leaf && pods.leaf == *leaf ? domain.count : 0;
            }
        }
    }
    std::erase_if(added.leaves, [](const LeafPods& pods) { return pods.count <= 0; });
    return added;
}

void FlavorAssigner::take_places(Assignment& assignment, WorkloadPlacement found) const {
    Places& places = assignment.write_places();
    places.leaves.clear();
    for (const PlacedPodSet& placed : found.placed) {
        places.leaves.push_back(added_by(placed));
        for (PodSetChoice& pod_set : assignment.pod_sets) {
            if (pod_set.pod_set == placed.pod_set && pod_set.delayed != DelayedTopology::None) {
                pod_set.delayed = DelayedTopology::Ready;
            }
        }
    }
    places.placed = std::move(found.placed);
}

void FlavorAssigner::place_again(
    Assignment& assignment, const LeafView& leaves, Occupancy occupancy, KeptPods kept
) const {
    if (assignment.to_place().empty()) {
        return;
    }
    WorkloadPlacer placer(state_, search_.rooms(), workload_, leaves, occupancy);
    WorkloadPlacement found = placer.place(assignment.to_place(), kept);
    if (found.fits()) {
        take_places(assignment, std::move(found));
    }
}

void FlavorAssigner::find_places(Assignment& assignment, const std::vector<Attempts>& attempts)
    const {
    if (assignment.to_place().empty()) {
        return;
    }
    const auto place = [&](Occupancy occupancy) {
        WorkloadPlacer placer(
            state_, search_.rooms(), workload_, search_.view().leaves(), occupancy
        );
        return placer.place(assignment.to_place());
    };
    if (assignment.mode == AssignmentMode::Fit) {
        WorkloadPlacement found = place(Occupancy::Present);
        if (!found.unplaced) {
            take_places(assignment, std::move(found));
            return;
        }
        const UnplacedPodSet& unplaced = *found.unplaced;
        for (PodSetChoice& pod_set : assignment.pod_sets) {
            if (pod_set.pod_set == unplaced.pod_set) {
                pod_set.refusals.push_back(FlavorRefusal{
                    .kind = FlavorRefusal::Kind::NotPlaced,
                    .flavor = unplaced.flavor,
                    .resource = {},
                    .placement = unplaced.failure,
                });
            }
        }
        assignment.set_mode(unplaced.pod_set, AssignmentMode::Preempt);
        assignment.mode = AssignmentMode::Preempt;
    }
    if (has_unhealthy_nodes()) {
        return;  // nothing is evicted for a replacement
    }
    const WorkloadPlacement found = place(Occupancy::Empty);
    if (!found.unplaced) {
        // Quota may suffice while nodes are too full, so evictions may help any of them.
        for (const PodSetToPlace& pod_set : assignment.to_place()) {
            assignment.set_mode(pod_set.pod_set, AssignmentMode::Preempt);
        }
        return;
    }
    const UnplacedPodSet& unplaced = *found.unplaced;
    assignment.set_mode(unplaced.pod_set, AssignmentMode::NoFit);
    assignment.mode = AssignmentMode::NoFit;
    for (std::size_t i = 0; i < assignment.pod_sets.size(); ++i) {
        if (assignment.pod_sets[i].pod_set != unplaced.pod_set) {
            continue;
        }
        if (assignment.pod_sets[i].refusals.empty()) {
            assignment.no_fit_reason = WaitingReason::UnspecifiedTopology;
            continue;
        }
        Attempts marked = attempts[i];
        for (Attempt& attempt : marked) {
            if (attempt.flavor == unplaced.flavor) {
                attempt.mode = FlavorMode::NoFit;
                attempt.reason = WaitingReason::TopologyPlacementFailed;
            }
        }
        assignment.no_fit_reason = more_severe_of(assignment.no_fit_reason, marked);
    }
}

}  // namespace sluice::engine
