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

void TopologiesEditor::set_flavor(FlavorIndex index, const ResourceFlavor& flavor) {
    const auto enforcing = data_.enforcing_flavors->find(index);
    const bool enforced = enforcing != data_.enforcing_flavors->end();
    if (flavor.enforces_capacity) {
        if (!enforced || enforcing->second != flavor.node_labels) {
            data_.enforcing_flavors.write().insert_or_assign(index, flavor.node_labels);
        }
    } else if (enforced) {
        data_.enforcing_flavors.write().erase(index);
    }
    const bool has_none = flavor.topology.empty() && !flavor.enforces_capacity;
    const FlavorLevels levels{.topology = flavor.topology, .levels = flavor.levels};
    const auto known = data_.flavor_levels->find(index);
    if (known == data_.flavor_levels->end() ? has_none : known->second == levels && !has_none) {
        return;
    }
    data_.topologies.remove(index);
    data_.topologies_stale = true;  // others may have had leaves in common with it
    if (has_none) {
        data_.flavor_levels.write().erase(index);
    } else {
        data_.flavor_levels.write().insert_or_assign(index, levels);
    }
}

std::vector<Request> TopologiesEditor::use_resources(const std::vector<NodeResource>& amounts) {
    std::vector<Request> made;
    made.reserve(amounts.size());
    for (const NodeResource& resource : amounts) {
        made.push_back(
            {.resource = names_.use_resource(resource.resource), .amount = resource.amount}
        );
    }
    return made;
}

void TopologiesEditor::release_resources(const HostRecord& host) {
    for (const auto* amounts : {&host.capacity, &host.quota_capacity}) {
        for (const Request& request : *amounts) {
            names_.release_resource(request.resource);
        }
    }
}

std::set<FlavorIndex> TopologiesEditor::set_node(const Node& node) {
    const HostIndex host = data_.host_names.intern(node.name);
    data_.hosts.resize(data_.host_names.size());
    HostRecord made{.exists = true, .places = {}, .capacity = {}, .quota_capacity = {}};
    for (const NodePlace& place : node.places) {
        made.places.push_back({.flavor = names_.intern_flavor(place.flavor), .path = place.path});
    }
    made.capacity = use_resources(node.capacity);
    made.quota_capacity = use_resources(node.quota_capacity);
    remove_from_topologies(host);
    const HostRecord before = std::exchange(data_.hosts.write(host.at()), std::move(made));
    add_to_topologies(host);
    const HostRecord& after = data_.hosts[host.at()];
    const bool has_opened = set_verdicts_of(host, node.verdicts);
    std::set<FlavorIndex> gaining;
    for (const HostPlace& place : after.places) {
        const bool gains =
            has_opened ||
            has_more(capacity_for(place.flavor, before), capacity_for(place.flavor, after));
        if (gains || !has_place(before.places, place)) {
            gaining.insert(place.flavor);
        }
    }
    release_resources(before);
    data_.has_new_room = true;
    data_.has_lost_nodes = true;
    return gaining;
}

void TopologiesEditor::remove_node(const std::string& name) {
    const HostIndex host = data_.host_names.find(name);
    if (!host.is_valid() || !data_.hosts[host.at()].exists) {
        return;
    }
    remove_from_topologies(host);
    set_verdicts_of(host, {});
    release_resources(std::exchange(data_.hosts.write(host.at()), HostRecord()));
    data_.host_names.erase(host);
    data_.has_lost_nodes = true;
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
        data_.topologies.write(place.flavor)
            .remove_node(place.leaf, host, capacity_for(place.flavor, record));
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
        data_.topologies.write(place.flavor)
            .add_node(*leaf, std::move(nodes), capacity_for(place.flavor, record));
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
        made.add_node(*leaf, std::move(nodes), capacity_for(flavor, record));
    }
    data_.topologies.set(flavor, std::move(made));
}

void TopologiesEditor::find_twins() {
    for (const auto& [flavor, levels] : *data_.flavor_levels) {
        const FlavorTopology* of = data_.topologies.find(flavor);
        if (of != nullptr && of->has_twins()) {
            data_.topologies.write(flavor).set_twins({});
        }
    }
    if (!data_.options->gates.tas_handle_overlapping_flavors && data_.enforcing_flavors->empty()) {
        return;
    }
    // Flavors that enforce capacity see all pods. To the others, pods without a topology are pods
    // outside quota, which the node's capacity lacks already.
    const auto sees = [this](FlavorIndex flavor, FlavorIndex other) {
        const auto& enforcing = *data_.enforcing_flavors;
        return enforcing.contains(flavor) ||
               (data_.options->gates.tas_handle_overlapping_flavors && !enforcing.contains(other));
    };
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
                if (other.flavor != one.flavor && sees(other.flavor, one.flavor)) {
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
    find_twins();
    data_.has_new_room = true;
    data_.has_lost_nodes = true;
    for (const WorkloadIndex holder : *data_.placed_holders) {
        HeldPlacement& placement = record(holder).holding.write().placement.write();
        placement.leaves = leaves_of(holder, placement);
        for (const LeafDemand& demand : placement.leaves) {
            take(data_.topologies, demand, 1);
        }
    }
}

}  // namespace sluice::engine
