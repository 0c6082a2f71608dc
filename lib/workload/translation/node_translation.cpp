#include "workload/capacity/capacity_rule.hpp"
#include "workload/capacity/flavor_growth.hpp"
#include "workload/pods/amounts.hpp"
#include "workload/pods/node_fit.hpp"
#include "workload/translation/translator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace sluice::workload {
namespace {

/// The levels of flavors that enforce capacity.
const std::vector<std::string>& host_levels() {
    static const std::vector<std::string> kLevels{std::string(engine::kHostnameLevel)};
    return kLevels;
}

/// Returns true if an autoscaler is about to remove the node, so that another may come.
bool is_leaving(const api::Node& node) {
    static constexpr std::array<std::string_view, 2> kTaints{
        "karpenter.sh/disrupted", "ToBeDeletedByClusterAutoscaler"
    };
    return node.metadata.deletion_timestamp.has_value() ||
           std::ranges::any_of(node.spec.taints, [](const api::Taint& taint) {
               return std::ranges::find(kTaints, taint.key) != kTaints.end();
           });
}

/// Returns the name by which the engine knows the node as a leaf.
const std::string& host_of(const api::Node& node) {
    const auto* host = node.metadata.find_label(engine::kHostnameLevel);
    return host == nullptr ? node.metadata.name : *host;
}

}  // namespace

engine::ResourceFlavor Translator::to_engine_flavor(const api::ResourceFlavor& flavor) const {
    return {
        .name = flavor.metadata.name,
        .topology = flavor.spec.topology_name,
        .levels = levels_of(flavor),
        .enforces_capacity = enforcing_.contains(flavor.metadata.name),
        .node_labels = static_cast<std::uint32_t>(flavor.spec.node_labels.size()),
    };
}

const std::vector<std::string>& Translator::levels_of(const api::ResourceFlavor& flavor) const {
    static const std::vector<std::string> kNone;
    if (enforcing_.contains(flavor.metadata.name)) {
        return host_levels();
    }
    const auto at = references_.topologies.find(flavor.spec.topology_name);
    return at == references_.topologies.end() || !settings_.gates.topology_aware_scheduling
               ? kNone
               : at->second;
}

std::vector<const api::ResourceFlavor*> Translator::topology_flavors() const {
    std::vector<const api::ResourceFlavor*> found;
    for (const auto& [name, flavor] : references_.flavors) {
        if (!levels_of(flavor).empty()) {
            found.push_back(&flavor);
        }
    }
    return found;
}

std::optional<std::vector<std::string>> Translator::path_in(
    const api::Node& node, const api::ResourceFlavor& flavor
) const {
    if (!enforcing_.contains(flavor.metadata.name)) {
        return place_of(node, flavor, levels_of(flavor));
    }
    auto path = place_of(node, flavor, {});
    if (path) {
        path->push_back(host_of(node));
    }
    return path;
}

void Translator::append_verdicts(
    const Shape& shape, const api::Node& node, std::vector<engine::NodeVerdict>& into
) const {
    for (const api::ResourceFlavor* flavor : topology_flavors()) {
        if (levels_of(*flavor).back() != engine::kHostnameLevel || !path_in(node, *flavor)) {
            continue;
        }
        auto verdict =
            enforcing_.contains(flavor->metadata.name)
                ? find_verdict(with_extended_tolerations(shape.shape), shape.id, *flavor, node)
                : find_verdict(shape.shape, shape.id, *flavor, node);
        if (verdict) {
            into.push_back(*std::move(verdict));
        }
    }
}

engine::PodShape Translator::to_engine_shape(const Shape& shape) const {
    engine::PodShape made{.id = shape.id, .refusals = shape.refusals, .resources = {}};
    made.placement_fault = shape.shape.placement_fault;
    if (shape.shape.topology) {
        made.topology = shape.shape.topology->request;
        made.resources = shape.shape.topology->resources;
    }
    if (topology_flavors().empty()) {
        return made;
    }
    for (const auto& [name, node] : nodes_) {
        if (is_usable(node)) {
            append_verdicts(shape, node, made.nodes);
        }
    }
    for (const auto& [flavor, growth] : growths_) {
        for (const api::Node& node : growth.may_come) {
            append_verdicts(shape, node, made.nodes);
        }
    }
    return made;
}

engine::NodeChanged Translator::node_event(const api::Node& node) const {
    engine::Node made{
        .name = node.metadata.name,
        .places = {},
        .capacity = {},
        .quota_capacity = {},
        .verdicts = {},
    };
    if (is_usable(node)) {
        for (const api::ResourceFlavor* flavor : topology_flavors()) {
            if (auto path = path_in(node, *flavor)) {
                made.places.push_back({.flavor = flavor->metadata.name, .path = *std::move(path)});
            }
        }
        for (const auto& [key, shape] : shapes_) {
            append_verdicts(shape, node, made.verdicts);
        }
    }
    std::map<std::string, engine::Amount> capacity;
    for (const auto& [resource, quantity] : node.status.allocatable) {
        capacity[resource] = request_amount(resource, quantity);
    }
    const NodePodSums* sums = present_pods_->find(node.metadata.name);
    if (sums != nullptr) {
        for (const auto& [resource, amount] : sums->taken) {
            capacity[resource] -= amount;
        }
    }
    for (const auto& [resource, amount] : capacity) {
        made.capacity.push_back({.resource = resource, .amount = amount});
    }
    if (sums != nullptr && !sums->counted.empty() && !enforcing_.empty()) {
        for (const auto& [resource, amount] : sums->counted) {
            capacity[resource] += amount;
        }
        for (const auto& [resource, amount] : capacity) {
            made.quota_capacity.push_back({.resource = resource, .amount = amount});
        }
    }
    return {std::move(made)};
}

void Translator::append_nodes(Events& events) const {
    for (const auto& [name, node] : nodes_) {
        events.push_back(node_event(node));
    }
    for (const auto& [flavor, growth] : growths_) {
        for (const api::Node& node : growth.may_come) {
            events.push_back(node_event(node));
        }
    }
}

void Translator::append_node(const std::string& node, Events& events) const {
    if (const auto at = nodes_.find(node); at != nodes_.end()) {
        events.push_back(node_event(at->second));
    }
}

Translator::Events Translator::set(const api::Node& node) {
    const std::string& name = node.metadata.name;
    const auto at = nodes_.find(name);
    const bool is_unchanged =
        at != nodes_.end() && at->second.metadata.labels == node.metadata.labels &&
        at->second.spec == node.spec && at->second.status.allocatable == node.status.allocatable &&
        is_usable(at->second) == is_usable(node);
    const bool has_moved =
        at == nodes_.end() ? host_of(node) != name : host_of(node) != host_of(at->second);
    nodes_.insert_or_assign(name, node);
    if (is_unchanged) {
        return {};
    }
    Events events{node_event(node)};
    if (has_moved) {
        append_touched({.nodes = {}, .workloads = present_pods_->owners_on(name)}, events);
    }
    grow_with(name, events);
    return events;
}

Translator::Events Translator::remove_node(const std::string& name) {
    if (nodes_.erase(name) == 0) {
        return {};
    }
    Events events{engine::NodeDeleted{name}};
    grow_with(name, events);
    return events;
}

void Translator::append_touched(const NodePods::Touched& touched, Events& events) const {
    for (const std::string& node : touched.nodes) {
        append_node(node, events);
    }
    for (const std::string& owner : touched.workloads) {
        for (const std::string& workload : node_pods_.claimants(owner)) {
            events.push_back(running_pods(owner, workload));
        }
    }
}

engine::WorkloadPodsChanged Translator::running_pods(
    const std::string& owner, const std::string& workload
) const {
    const std::size_t slash = workload.find('/');
    engine::WorkloadPodsChanged made{
        .ns = workload.substr(0, slash), .name = workload.substr(slash + 1), .pod_sets = {}
    };
    for (const auto& [pod_set, nodes] : node_pods_.running(owner)) {
        engine::RunningPods& running = made.pod_sets.emplace_back();
        running.pod_set = pod_set;
        for (const auto& [node, count] : nodes) {
            const auto at = nodes_.find(node);
            running.hosts.push_back(
                {.id = at == nodes_.end() ? node : host_of(at->second), .count = count}
            );
        }
    }
    return made;
}

Translator::Events Translator::set(const api::Pod& pod) {
    Events events;
    append_touched(node_pods_.set(pod), events);
    return events;
}

Translator::Events Translator::remove_pod(const std::string& ns, const std::string& name) {
    Events events;
    append_touched(node_pods_.remove(ns, name), events);
    return events;
}

void Translator::set_capacity_rule(
    const std::string& name, const api::ResourceFlavor* flavor, Events& events
) {
    const bool enforces = flavor != nullptr && settings_.gates.topology_aware_scheduling &&
                          enforces_capacity(*flavor);
    if (enforces) {
        enforcing_.insert(name);
    } else if (const auto at = enforcing_.find(name); at != enforcing_.end()) {
        enforcing_.erase(at);
    }
    if (const auto before = growths_.find(name); before != growths_.end()) {
        for (const api::Node& node : before->second.may_come) {
            events.push_back(engine::NodeDeleted{node.metadata.name});
        }
        growths_.erase(before);
    }
    if (!enforces) {
        return;
    }
    auto found = read_growth(*flavor);
    if (!found) {
        return;
    }
    std::optional<FlavorGrowth>& terms = *found;
    if (!terms) {
        return;
    }
    Growth& growth = growths_[name];
    growth.terms = *std::move(terms);
    for (const auto& [node_name, node] : nodes_) {
        if (place_of(node, *flavor, {}) && !is_leaving(node)) {
            growth.nodes.insert(node_name);
        }
    }
    grow(name, growth, events);
}

void Translator::grow(const std::string& flavor, Growth& growth, Events& events) const {
    api::ResourceList shape = growth.terms.shape;
    if (shape.empty()) {
        for (const std::string& name : growth.nodes) {
            keep_larger(nodes_.find(name)->second.status.allocatable, shape);
        }
    }
    const auto present = static_cast<std::int64_t>(growth.nodes.size());
    const auto missing =
        shape.empty() ? 0 : std::max<std::int64_t>(0, growth.terms.nodes - present);
    const auto known = std::exchange(growth.may_come, {});
    for (std::int64_t i = 0; i < missing; ++i) {
        api::Node node = make_new_node(references_.flavors.find(flavor)->second, shape, i + 1);
        // No node of the cluster has such a name.
        node.metadata.name = fmt::format("{}/{}", flavor, node.metadata.name);
        node.metadata.labels[std::string(engine::kHostnameLevel)] = node.metadata.name;
        const auto at = static_cast<std::size_t>(i);
        const bool is_known =
            at < known.size() && known[at].status.allocatable == node.status.allocatable;
        growth.may_come.push_back(std::move(node));
        if (!is_known) {
            events.push_back(node_event(growth.may_come.back()));
        }
    }
    for (std::size_t i = growth.may_come.size(); i < known.size(); ++i) {
        events.push_back(engine::NodeDeleted{known[i].metadata.name});
    }
}

void Translator::grow_with(const std::string& node, Events& events) {
    const auto at = nodes_.find(node);
    for (auto& [flavor, growth] : growths_) {
        const bool is_member = at != nodes_.end() && !is_leaving(at->second) &&
                               place_of(at->second, references_.flavors.at(flavor), {});
        const bool was_member = growth.nodes.contains(node);
        if (is_member) {
            growth.nodes.insert(node);
        } else {
            growth.nodes.erase(node);
        }
        if (is_member != was_member || (is_member && growth.terms.shape.empty())) {
            grow(flavor, growth, events);
        }
    }
}

}  // namespace sluice::workload
