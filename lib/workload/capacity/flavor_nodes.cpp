#include "workload/capacity/flavor_nodes.hpp"

#include "api/core/taint.hpp"
#include "api/kueue/kueue_names.hpp"
#include "engine/types/topology_objects.hpp"
#include "workload/capacity/flavor_growth.hpp"
#include "workload/pods/node_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace sluice::workload {
namespace {

/// Returns the taint that keeps pods of the flavor away; or "". Pods of the flavor tolerate its own
/// taints, and Kubernetes gives each pod that requests an extended resource a toleration of the
/// taint with its name (ExtendedResourceToleration).
std::string closed_by(const api::Node& node, const api::ResourceFlavor& flavor) {
    std::vector<api::Taint> taints;
    for (const auto& taint : node.spec.taints) {
        const bool is_of_flavor =
            std::ranges::any_of(flavor.spec.node_taints, [&taint](const auto& own) {
                return own.key == taint.key && own.value == taint.value &&
                       own.effect == taint.effect;
            });
        if (!is_of_flavor && !node.status.allocatable.contains(taint.key)) {
            taints.push_back(taint);
        }
    }
    const auto* taint = api::find_untolerated_taint(
        taints, flavor.spec.tolerations, api::TolerationOperators::WithNumeric
    );
    return taint == nullptr ? "" : printed_taint(*taint);
}

/// Returns the label of a topology's level that the node lacks, in words; or "".
std::string missing_label(const api::Node& node, const std::vector<std::string>& levels) {
    const auto lacking = std::ranges::find_if(levels, [&node](const std::string& level) {
        return node.metadata.find_label(level) == nullptr;
    });
    return lacking == levels.end() ? "" : fmt::format("no label {}", *lacking);
}

/// Returns the allocatable resources of the flavor's largest node.
api::ResourceList largest_of(const FlavorNodes& nodes) {
    api::ResourceList largest;
    const auto take = [&](const NodeRoom& room) {
        keep_larger(room.node->status.allocatable, largest);
    };
    for (const NodeRoom* room : nodes.usable) {
        take(*room);
    }
    for (const UnusableNode& unusable : nodes.unusable) {
        take(*unusable.room);
    }
    return largest;
}

}  // namespace

ClusterNodes::ClusterNodes(
    const std::vector<const api::Node*>& nodes,
    const std::vector<const api::ResourceFlavor*>& flavors,
    const std::vector<const api::Topology*>& topologies
) {
    for (const auto* node : nodes) {
        rooms_.push_back(make_node_room(*node));
        by_name_[node->metadata.name] = &rooms_.back();
        if (const auto* host = node->metadata.find_label(engine::kHostnameLevel)) {
            by_host_[*host] = &rooms_.back();
        }
    }
    std::map<std::string, std::vector<std::string>> levels;
    for (const auto* topology : topologies) {
        for (const auto& level : topology->spec.levels) {
            levels[topology->metadata.name].push_back(level.node_label);
        }
    }
    for (const auto* flavor : flavors) {
        const auto at = levels.find(flavor->spec.topology_name);
        add_flavor(*flavor, at == levels.end() ? std::vector<std::string>() : at->second);
    }
    find_pools();
}

/// Joins flavors with a node in common. *Cost*: O(flavors x nodes).
void ClusterNodes::find_pools() {
    std::map<const NodeRoom*, std::string> first_of;
    const auto join = [&](const std::string& a, const std::string& b) {
        const auto into = pools_.at(a);
        const auto from = pools_.at(b);
        if (into == from) {
            return;
        }
        into->insert(into->end(), from->begin(), from->end());
        for (const std::string& name : *from) {
            pools_[name] = into;
        }
    };
    for (const auto& [name, nodes] : flavors_) {
        pools_[name] = std::make_shared<std::vector<std::string>>(1, name);
        const auto visit = [&, &own = name](const NodeRoom* room) {
            const auto [at, is_new] = first_of.try_emplace(room, own);
            if (!is_new) {
                join(at->second, own);
            }
        };
        std::ranges::for_each(nodes.usable, visit);
        std::ranges::for_each(nodes.unusable, visit, &UnusableNode::room);
    }
    for (const auto& [name, pool] : pools_) {
        std::ranges::sort(*pool);
    }
}

void ClusterNodes::add_flavor(const api::ResourceFlavor& flavor, std::vector<std::string> levels) {
    FlavorNodes made{
        .flavor = &flavor, .levels = std::move(levels), .usable = {}, .unusable = {}, .may_come = 0
    };
    for (const auto& [name, room] : by_name_) {
        if (!place_of(*room->node, flavor, {})) {
            continue;
        }
        std::string reason = room->refusal.empty() ? closed_by(*room->node, flavor) : room->refusal;
        if (reason.empty()) {
            reason = missing_label(*room->node, made.levels);
        }
        if (reason.empty()) {
            made.usable.push_back(room);
        } else {
            made.unusable.push_back({.room = room, .reason = reason});
        }
    }
    grow(made);
    flavors_.insert_or_assign(flavor.metadata.name, std::move(made));
}

void ClusterNodes::grow(FlavorNodes& nodes) {
    const api::ResourceFlavor& flavor = *nodes.flavor;
    auto growth = read_growth(flavor);
    if (!growth) {
        faults_.push_back(
            fmt::format("ResourceFlavor {}: {}", flavor.metadata.name, growth.error().detail)
        );
        return;
    }
    std::optional<FlavorGrowth>& terms = *growth;
    if (!terms || !flavor.spec.topology_name.empty()) {
        return;  // topology-aware scheduling places pods on nodes that are there
    }
    api::ResourceList shape = terms->shape.empty() ? largest_of(nodes) : std::move(terms->shape);
    if (shape.empty()) {
        faults_.push_back(fmt::format(
            "ResourceFlavor {}: it may grow, but has no node and no annotation "
            "sluice.dev/node-shape, so that the size of a new node is not known",
            flavor.metadata.name
        ));
        return;
    }
    const auto present = static_cast<std::int64_t>(nodes.usable.size() + nodes.unusable.size());
    nodes.may_come = std::max<std::int64_t>(0, terms->nodes - present);
    for (std::int64_t i = 0; i < nodes.may_come; ++i) {
        NodeRoom room =
            make_node_room(new_nodes_.emplace_back(make_new_node(flavor, shape, i + 1)));
        room.exists = false;
        rooms_.push_back(std::move(room));
        nodes.usable.push_back(&rooms_.back());
    }
}

NodeRoom* ClusterNodes::find(const std::string& name) {
    const auto at = by_name_.find(name);
    return at == by_name_.end() ? nullptr : at->second;
}

NodeRoom* ClusterNodes::find_host(const std::string& hostname) {
    const auto at = by_host_.find(hostname);
    return at == by_host_.end() ? nullptr : at->second;
}

std::vector<NodeRoom*> ClusterNodes::accepting(
    const std::vector<std::string>& flavors, const PodShape& shape
) const {
    std::vector<NodeRoom*> found;
    if (flavors.empty()) {
        static const api::ResourceFlavor kAnyFlavor;
        for (const auto& [name, room] : by_name_) {
            const auto verdict = find_verdict(shape, 0, kAnyFlavor, *room->node);
            if (room->refusal.empty() && (!verdict || verdict->refusal.empty())) {
                found.push_back(room);
            }
        }
    }
    for (const std::string& name : flavors) {
        const auto at = flavors_.find(name);
        if (at == flavors_.end()) {
            return {};
        }
        const bool is_first = name == flavors.front();
        const auto& usable = at->second.usable;
        const std::set<const NodeRoom*> kept(found.begin(), found.end());
        found.clear();
        for (NodeRoom* room : usable) {
            if (!is_first && !kept.contains(room)) {
                continue;
            }
            const auto verdict = find_verdict(shape, 0, *at->second.flavor, *room->node);
            if (!verdict || verdict->refusal.empty()) {
                found.push_back(room);
            }
        }
    }
    return found;
}

}  // namespace sluice::workload
