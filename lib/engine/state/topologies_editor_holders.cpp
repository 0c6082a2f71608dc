// The part of TopologiesEditor that concerns holders.
#include "engine/state/topologies_editor.hpp"
#include "engine/topology/leaf_view.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace sluice::engine {
namespace {

/// Returns true if the sums of what the pods take may have been cut off, so that they cannot be
/// given back.
bool may_saturate(const LeafDemand& demand) {
    return std::any_of(demand.pod.begin(), demand.pod.end(), [&](const Request& request) {
        return std::any_of(demand.leaves.begin(), demand.leaves.end(), [&](const LeafPods& pods) {
            return (request.amount * pods.count * 2).is_saturated();
        });
    });
}

/// Appends the domains that have leaves.
void add_leaves(
    const FlavorTopology& of, const std::vector<DomainPods>& domains, std::vector<LeafPods>& into
) {
    for (const DomainPods& domain : domains) {
        if (const auto leaf = of.find_leaf(domain.id); leaf && domain.count > 0) {
            into.push_back({.leaf = *leaf, .count = domain.count});
        }
    }
}

/// Returns the pods that take room, by podSet and host.
std::map<std::pair<std::uint32_t, std::string_view>, std::int64_t> hosts_of(
    const std::vector<HeldNodes>& all
) {
    std::map<std::pair<std::uint32_t, std::string_view>, std::int64_t> made;
    for (const HeldNodes& nodes : all) {
        for (const auto* hosts : {&nodes.running, &nodes.expected}) {
            for (const DomainPods& pods : *hosts) {
                made[{nodes.pod_set, pods.id}] += pods.count;
            }
        }
    }
    return made;
}

}  // namespace

std::vector<LeafDemand> TopologiesEditor::leaves_of(
    WorkloadIndex holder, const HeldPlacement& placement
) const {
    const PodSets& pod_sets = state_.workload(holder).pod_sets;
    std::vector<LeafDemand> made;
    for (const HeldTopology& topology : placement.topologies) {
        const FlavorTopology* of = data_.topologies.find(topology.flavor);
        if (of == nullptr || topology.pod_set >= pod_sets.size()) {
            continue;
        }
        LeafDemand demand{
            .flavor = topology.flavor,
            .pod = state_.node_request(pod_sets[topology.pod_set]),
            .leaves = {},
        };
        add_leaves(*of, topology.domains, demand.leaves);
        made.push_back(std::move(demand));
    }
    for (const HeldNodes& nodes : placement.nodes) {
        const FlavorTopology* of = data_.topologies.find(nodes.flavor);
        if (of == nullptr || nodes.pod_set >= pod_sets.size()) {
            continue;
        }
        LeafDemand demand{
            .flavor = nodes.flavor,
            .pod = state_.node_request(pod_sets[nodes.pod_set]),
            .leaves = {},
        };
        add_leaves(*of, nodes.running, demand.leaves);
        add_leaves(*of, nodes.expected, demand.leaves);
        made.push_back(std::move(demand));
    }
    return made;
}

std::vector<HeldNodes> TopologiesEditor::nodes_of(
    WorkloadIndex holder, const Holding& holding, const std::vector<HeldNodes>& known
) const {
    const PodSets& pod_sets = state_.workload(holder).pod_sets;
    std::vector<HeldNodes> made;
    if (state_.cluster_queue(holding.cluster_queue).spec.places_elsewhere) {
        return made;
    }
    for (std::uint32_t i = 0; i < pod_sets.size(); ++i) {
        const Usages* usages = &holding.usages;
        std::int64_t count = holding.count;
        if (!holding.pod_sets.empty()) {
            const auto at =
                std::ranges::find(holding.pod_sets, pod_sets[i].name, &HeldPodSet::name);
            if (at == holding.pod_sets.end()) {
                continue;
            }
            usages = &at->usages;
            count = at->count;
        }
        std::vector<FlavorIndex> flavors;
        for (const Usage& usage : *usages) {
            flavors.push_back(state_.flavor_of(usage.flavor_resource));
        }
        const FlavorIndex flavor = state_.enforcing_flavor(flavors);
        if (!flavor.is_valid()) {
            continue;
        }
        const auto same = std::ranges::find_if(known, [&](const HeldNodes& nodes) {
            return nodes.pod_set == i && nodes.flavor == flavor;
        });
        HeldNodes nodes = same == known.end() ? HeldNodes() : *same;
        nodes.flavor = flavor;
        nodes.pod_set = i;
        nodes.set_count(count);
        made.push_back(std::move(nodes));
    }
    return made;
}

void TopologiesEditor::note_room(WorkloadIndex holder) {
    const auto& placement = record(holder).holding->placement;
    const bool lacks_room = std::ranges::any_of(placement->nodes, [](const HeldNodes& nodes) {
        return nodes.without_room() > 0;
    });
    if (lacks_room) {
        data_.holders_without_room.write().insert(holder);
        data_.has_new_room = true;
    } else if (data_.holders_without_room->contains(holder)) {
        data_.holders_without_room.write().erase(holder);
    }
}

void TopologiesEditor::note_eased(
    const std::vector<HeldNodes>& before, const std::vector<HeldNodes>& after
) {
    const auto hosts = hosts_of(after);
    data_.has_eased =
        data_.has_eased || std::ranges::any_of(hosts_of(before), [&hosts](const auto& room) {
            const auto at = hosts.find(room.first);
            return at == hosts.end() || at->second < room.second;
        });
}

void TopologiesEditor::set_running(WorkloadIndex holder, const std::vector<RunningPods>& running) {
    const CowPtr<Holding>& holding = data_.workloads[holder.at()].holding;
    if (holding == nullptr || holding->placement == nullptr || holding->placement->nodes.empty()) {
        return;
    }
    std::vector<HeldNodes> nodes = holding->placement->nodes;
    for (HeldNodes& each : nodes) {
        const std::string& name = data_.workloads[holder.at()].pod_sets[each.pod_set].name;
        const auto at = std::ranges::find(running, name, &RunningPods::pod_set);
        each.set_running(at == running.end() ? std::vector<DomainPods>() : at->hosts);
    }
    note_eased(holding->placement->nodes, nodes);
    data_.has_lost_nodes = true;  // the pods may be where others have room
    release(holder, *holding);
    record(holder).holding.write().placement.write().nodes = std::move(nodes);
    hold(holder);
}

void TopologiesEditor::end_lost_room() {
    if (!std::exchange(data_.has_lost_nodes, false) || data_.enforcing_flavors->empty()) {
        return;
    }
    std::vector<WorkloadIndex> holders;
    for (const WorkloadIndex holder : *data_.placed_holders) {
        const auto& nodes = data_.workloads[holder.at()].holding->placement->nodes;
        if (std::ranges::any_of(nodes, [](const HeldNodes& each) {
                return !each.expected.empty();
            })) {
            holders.push_back(holder);
        }
    }
    // The last one to get quota gives way first.
    std::ranges::sort(holders, [this](WorkloadIndex a, WorkloadIndex b) {
        const WorkloadRecord& first = data_.workloads[a.at()];
        const WorkloadRecord& second = data_.workloads[b.at()];
        return first.holding->reserved_at != second.holding->reserved_at
                   ? first.holding->reserved_at > second.holding->reserved_at
                   : first.key() > second.key();
    });
    for (const WorkloadIndex holder : holders) {
        end_lost_room_of(holder);
    }
}

void TopologiesEditor::end_lost_room_of(WorkloadIndex holder) {
    const WorkloadRecord& workload = data_.workloads[holder.at()];
    std::vector<HeldNodes> nodes = workload.holding->placement->nodes;
    std::size_t lost = 0;
    for (HeldNodes& each : nodes) {
        const FlavorTopology* of = data_.topologies.find(each.flavor);
        const auto pod = state_.node_request(workload.pod_sets[each.pod_set]);
        lost += std::erase_if(each.expected, [&](const DomainPods& pods) {
            const auto leaf = of == nullptr ? std::nullopt : of->find_leaf(pods.id);
            return !leaf || !of->is_present(*leaf) ||
                   std::ranges::any_of(pod, [&](const Request& request) {
                       return request.amount > Amount() &&
                              of->free().free(*leaf, request.resource) < Amount();
                   });
        });
    }
    if (lost > 0) {
        release(holder, *workload.holding);
        record(holder).holding.write().placement.write().nodes = std::move(nodes);
        hold(holder);
    }
}

void TopologiesEditor::expect(
    WorkloadIndex holder, std::size_t nodes, const std::vector<LeafPods>& leaves
) {
    release(holder, *record(holder).holding);
    HeldNodes& into = record(holder).holding.write().placement.write().nodes[nodes];
    const FlavorTopology& of = *data_.topologies.find(into.flavor);
    for (const LeafPods& pods : leaves) {
        into.expect({.id = of.id_of(pods.leaf), .count = static_cast<std::int32_t>(pods.count)});
    }
    hold(holder);
}

void TopologiesEditor::hold(WorkloadIndex holder) {
    Holding& holding = record(holder).holding.write();
    if (holding.placement == nullptr || !holding.placement->has_places()) {
        return;
    }
    data_.placed_holders.write().insert(holder);
    note_room(holder);
    if (data_.topologies_stale) {
        return;
    }
    HeldPlacement& placement = holding.placement.write();
    placement.leaves = leaves_of(holder, placement);
    for (const LeafDemand& demand : placement.leaves) {
        take(data_.topologies, demand, 1);
    }
}

void TopologiesEditor::release(WorkloadIndex holder, const Holding& holding) {
    if (holding.placement == nullptr || !holding.placement->has_places()) {
        return;
    }
    data_.placed_holders.write().erase(holder);
    if (!holding.placement->nodes.empty()) {
        data_.holders_without_room.write().erase(holder);
        data_.has_new_room = true;
    }
    for (const LeafDemand& demand : holding.placement->leaves) {
        if (data_.topologies_stale) {
            return;
        }
        if (may_saturate(demand)) {
            data_.topologies_stale = true;
        } else {
            take(data_.topologies, demand, -1);
        }
    }
}

}  // namespace sluice::engine
