#include "engine/state/topologies_editor.hpp"

#include "base/assert.hpp"
#include "engine/topology/leaf_view.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace sluice::engine {
namespace {

/// A tree keeps so many leaves of nodes that are gone, and as many as it has nodes.
constexpr std::size_t kEmptyLeavesKept = 64;

Amount amount_in(const std::vector<Request>& amounts, ResourceIndex resource) {
    const auto at = std::find_if(amounts.begin(), amounts.end(), [&](const Request& request) {
        return request.resource == resource;
    });
    return at == amounts.end() ? Amount() : at->amount;
}

/// Returns true if `after` has more of a resource than `before`.
bool has_more(const std::vector<Request>& before, const std::vector<Request>& after) {
    return std::any_of(after.begin(), after.end(), [&](const Request& request) {
        return request.amount > amount_in(before, request.resource);
    });
}

bool has_place(const std::vector<HostPlace>& places, const HostPlace& place) {
    return std::any_of(places.begin(), places.end(), [&](const HostPlace& other) {
        return other.flavor == place.flavor && other.path == place.path;
    });
}

/// Returns true if the sums of what the pods take may have been cut off, so that they cannot be
/// given back.
bool may_saturate(const LeafDemand& demand) {
    return std::any_of(demand.pod.begin(), demand.pod.end(), [&](const Request& request) {
        return std::any_of(demand.leaves.begin(), demand.leaves.end(), [&](const LeafPods& pods) {
            return (request.amount * pods.count * 2).is_saturated();
        });
    });
}

}  // namespace

void HostVerdicts::set(HostIndex host, const std::string& refusal, std::int64_t affinity) {
    HostVerdict made{.refusal = HostVerdict::kAllowed, .affinity = affinity};
    if (!refusal.empty()) {
        const auto at = std::find(refusals.begin(), refusals.end(), refusal);
        made.refusal = static_cast<std::uint32_t>(at - refusals.begin());
        if (at == refusals.end()) {
            refusals.push_back(refusal);
        }
    }
    hosts.insert_or_assign(host, made);
}

void TopologiesEditor::make_stale(FlavorIndex flavor) {
    data_.topologies_stale = true;
    data_.stale_topologies.insert(flavor);
}

void TopologiesEditor::set_levels(FlavorIndex flavor, FlavorLevels levels) {
    const auto known = data_.flavor_levels->find(flavor);
    if (known == data_.flavor_levels->end() ? levels.topology.empty() : known->second == levels) {
        return;
    }
    data_.topologies.remove(flavor);
    data_.topologies_stale = true;  // others may have had leaves in common with it
    if (levels.topology.empty()) {
        data_.flavor_levels.write().erase(flavor);
    } else {
        data_.flavor_levels.write().insert_or_assign(flavor, std::move(levels));
    }
}

std::set<FlavorIndex> TopologiesEditor::set_node(const Node& node) {
    const HostIndex host = data_.host_names.intern(node.name);
    data_.hosts.resize(data_.host_names.size());
    HostRecord made{.exists = true, .places = {}, .capacity = {}};
    for (const NodePlace& place : node.places) {
        made.places.push_back({.flavor = names_.intern_flavor(place.flavor), .path = place.path});
    }
    for (const NodeResource& resource : node.capacity) {
        made.capacity.push_back(
            {.resource = names_.use_resource(resource.resource), .amount = resource.amount}
        );
    }
    remove_from_topologies(host);
    const HostRecord before = std::exchange(data_.hosts.write(host.at()), std::move(made));
    add_to_topologies(host);
    for (const Request& request : before.capacity) {
        names_.release_resource(request.resource);
    }
    const HostRecord& after = data_.hosts[host.at()];
    const bool gains =
        set_verdicts_of(host, node.verdicts) || has_more(before.capacity, after.capacity);
    std::set<FlavorIndex> gaining;
    for (const HostPlace& place : after.places) {
        if (gains || !has_place(before.places, place)) {
            gaining.insert(place.flavor);
        }
    }
    return gaining;
}

void TopologiesEditor::remove_node(const std::string& name) {
    const HostIndex host = data_.host_names.find(name);
    if (!host.is_valid() || !data_.hosts[host.at()].exists) {
        return;
    }
    remove_from_topologies(host);
    set_verdicts_of(host, {});
    const HostRecord before = std::exchange(data_.hosts.write(host.at()), HostRecord());
    for (const Request& request : before.capacity) {
        names_.release_resource(request.resource);
    }
    data_.host_names.erase(host);
}

void TopologiesEditor::remove_from_topologies(HostIndex host) {
    const HostRecord& record = data_.hosts[host.at()];
    for (const HostPlace& place : record.places) {
        const FlavorTopology* of = data_.topologies.find(place.flavor);
        if (of == nullptr || data_.topologies_stale) {
            make_stale(place.flavor);
            continue;
        }
        if (place.leaf == HostPlace::kNoLeaf) {
            continue;
        }
        data_.topologies.write(place.flavor).remove_node(place.leaf, host, record.capacity);
        of = data_.topologies.find(place.flavor);
        // Nodes of one hostname are one leaf, which has the path of the first.
        const bool may_move = of->is_by_host() && of->is_present(place.leaf);
        if (may_move || of->leaves() > kEmptyLeavesKept + 2 * of->present()) {
            make_stale(place.flavor);
        }
    }
}

void TopologiesEditor::add_to_topologies(HostIndex host) {
    HostRecord& record = data_.hosts.write(host.at());
    for (HostPlace& place : record.places) {
        const FlavorTopology* of = data_.topologies.find(place.flavor);
        if (of == nullptr || data_.topologies_stale) {
            make_stale(place.flavor);
            continue;
        }
        if (place.path.size() != of->levels().size()) {
            continue;
        }
        const auto leaf = of->leaf_at(place.path);
        if (!leaf || of->tree().path(of->domain_of(*leaf)) != place.path) {
            make_stale(place.flavor);
            continue;
        }
        place.leaf = *leaf;
        auto nodes = of->nodes_of(*leaf);
        const auto at =
            std::lower_bound(nodes.begin(), nodes.end(), host, [this](HostIndex a, HostIndex b) {
                return state_.host_name(a) < state_.host_name(b);
            });
        nodes.insert(at, host);
        data_.topologies.write(place.flavor).add_node(*leaf, std::move(nodes), record.capacity);
    }
}

bool TopologiesEditor::set_verdicts_of(HostIndex host, const std::vector<NodeVerdict>& verdicts) {
    bool has_changed = false;
    std::set<std::pair<std::uint32_t, FlavorIndex>> given;
    for (const NodeVerdict& verdict : verdicts) {
        const FlavorIndex flavor = names_.intern_flavor(verdict.flavor);
        const auto shape = data_.shapes->find(verdict.shape);
        if (shape == data_.shapes->end()) {
            continue;
        }
        given.emplace(verdict.shape, flavor);
        const auto known = shape->second.nodes.find(flavor);
        if (known != shape->second.nodes.end()) {
            const auto at = known->second->hosts.find(host);
            if (at != known->second->hosts.end() && at->second.affinity == verdict.affinity &&
                (at->second.refusal == HostVerdict::kAllowed
                     ? verdict.refusal.empty()
                     : known->second->refusals[at->second.refusal] == verdict.refusal)) {
                continue;
            }
        }
        CowPtr<HostVerdicts>& of = data_.shapes.write().at(verdict.shape).nodes[flavor];
        if (of == nullptr) {
            of = CowPtr<HostVerdicts>::make();
        }
        of.write().set(host, verdict.refusal, verdict.affinity);
        has_changed = true;
    }
    std::vector<std::pair<std::uint32_t, FlavorIndex>> ended;
    for (const auto& [shape, record] : *data_.shapes) {
        for (const auto& [flavor, of] : record.nodes) {
            if (of->hosts.contains(host) && !given.contains({shape, flavor})) {
                ended.emplace_back(shape, flavor);
            }
        }
    }
    for (const auto& [shape, flavor] : ended) {
        data_.shapes.write().at(shape).nodes.at(flavor).write().hosts.erase(host);
    }
    return has_changed || !ended.empty();
}

void TopologiesEditor::set_verdicts(ShapeRecord& shape, const std::vector<NodeVerdict>& verdicts) {
    shape.nodes.clear();
    for (const NodeVerdict& verdict : verdicts) {
        const HostIndex host = data_.host_names.find(verdict.node);
        if (!host.is_valid()) {
            continue;
        }
        CowPtr<HostVerdicts>& of = shape.nodes[names_.intern_flavor(verdict.flavor)];
        if (of == nullptr) {
            of = CowPtr<HostVerdicts>::make();
        }
        of.write().set(host, verdict.refusal, verdict.affinity);
    }
}

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
        for (const DomainPods& domain : topology.domains) {
            if (const auto leaf = of->find_leaf(domain.id); leaf && domain.count > 0) {
                demand.leaves.push_back({.leaf = *leaf, .count = domain.count});
            }
        }
        made.push_back(std::move(demand));
    }
    return made;
}

void TopologiesEditor::hold(WorkloadIndex holder) {
    Holding& holding = record(holder).holding.write();
    if (holding.placement == nullptr || holding.placement->topologies.empty()) {
        return;
    }
    data_.placed_holders.write().insert(holder);
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
    if (holding.placement == nullptr || holding.placement->topologies.empty()) {
        return;
    }
    data_.placed_holders.write().erase(holder);
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

std::vector<HostIndex> TopologiesEditor::hosts_by_name() const {
    std::vector<HostIndex> hosts;
    for (std::size_t i = 0; i < data_.hosts.size(); ++i) {
        if (data_.hosts[i].exists) {
            hosts.push_back(make_index<HostIndex>(i));
        }
    }
    std::sort(hosts.begin(), hosts.end(), [this](HostIndex a, HostIndex b) {
        return state_.host_name(a) < state_.host_name(b);
    });
    return hosts;
}

void TopologiesEditor::grow(FlavorIndex flavor, const std::vector<HostIndex>& hosts) {
    const FlavorLevels& levels = data_.flavor_levels->at(flavor);
    FlavorTopology made(levels.topology, levels.levels);
    std::vector<std::pair<HostIndex, std::size_t>> members;  // hosts and the places in them
    std::vector<DomainPath> paths;
    for (const HostIndex host : hosts) {
        const auto& places = data_.hosts[host.at()].places;
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (places[i].flavor != flavor) {
                continue;
            }
            if (places[i].path.size() == levels.levels.size()) {
                members.emplace_back(host, i);
                paths.push_back(places[i].path);
            } else {
                data_.hosts.write(host.at()).places[i].leaf = HostPlace::kNoLeaf;
            }
        }
    }
    made.grow(std::move(paths));
    for (const auto& [host, place] : members) {
        HostRecord& record = data_.hosts.write(host.at());
        const auto leaf = made.leaf_at(record.places[place].path);
        SLUICE_ASSERT(leaf.has_value());
        record.places[place].leaf = *leaf;
        auto nodes = made.nodes_of(*leaf);
        nodes.push_back(host);
        made.add_node(*leaf, std::move(nodes), record.capacity);
    }
    data_.topologies.set(flavor, std::move(made));
}

void TopologiesEditor::find_twins() {
    std::map<std::string_view, std::vector<LeafOfFlavor>> by_host;
    for (const auto& [flavor, levels] : *data_.flavor_levels) {
        const FlavorTopology* of = data_.topologies.find(flavor);
        if (of == nullptr || !of->is_by_host()) {
            continue;
        }
        for (std::uint32_t leaf = 0; leaf < of->leaves(); ++leaf) {
            by_host[of->tree().value(of->domain_of(leaf))].push_back({flavor, leaf});
        }
    }
    std::map<FlavorIndex, std::vector<std::vector<LeafOfFlavor>>> twins;
    for (const auto& [host, leaves] : by_host) {
        for (const LeafOfFlavor& one : leaves) {
            auto& of_flavor = twins[one.flavor];
            for (const LeafOfFlavor& other : leaves) {
                if (other.flavor != one.flavor) {
                    of_flavor.resize(data_.topologies.find(one.flavor)->leaves());
                    of_flavor[one.leaf].push_back(other);
                }
            }
        }
    }
    for (auto& [flavor, of_flavor] : twins) {
        data_.topologies.write(flavor).set_twins(std::move(of_flavor));
    }
}

void TopologiesEditor::refresh() {
    if (!data_.topologies_stale) {
        return;
    }
    data_.topologies_stale = false;
    const auto stale = std::exchange(data_.stale_topologies, {});
    const auto hosts = hosts_by_name();
    for (const auto& [flavor, levels] : *data_.flavor_levels) {
        const bool is_missing = data_.topologies.find(flavor) == nullptr;
        if (!levels.levels.empty() && (is_missing || stale.contains(flavor))) {
            grow(flavor, hosts);
        } else if (!is_missing) {
            data_.topologies.write(flavor).forget_usage();
        }
    }
    if (data_.options->gates.tas_handle_overlapping_flavors) {
        find_twins();
    }
    for (const WorkloadIndex holder : *data_.placed_holders) {
        HeldPlacement& placement = record(holder).holding.write().placement.write();
        placement.leaves = leaves_of(holder, placement);
        for (const LeafDemand& demand : placement.leaves) {
            take(data_.topologies, demand, 1);
        }
    }
}

}  // namespace sluice::engine
