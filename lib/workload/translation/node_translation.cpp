#include "base/assert.hpp"
#include "workload/pods/amounts.hpp"
#include "workload/pods/node_fit.hpp"
#include "workload/translation/translator.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace sluice::workload {
namespace {

constexpr char kPods[] = "pods";

}  // namespace

engine::ResourceFlavor Translator::to_engine_flavor(const api::ResourceFlavor& flavor) const {
    return {
        .name = flavor.metadata.name,
        .topology = flavor.spec.topology_name,
        .levels = levels_of(flavor),
    };
}

const std::vector<std::string>& Translator::levels_of(const api::ResourceFlavor& flavor) const {
    static const std::vector<std::string> kNone;
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

void Translator::append_verdicts(
    const Shape& shape, const api::Node& node, std::vector<engine::NodeVerdict>& into
) const {
    for (const api::ResourceFlavor* flavor : topology_flavors()) {
        const auto& levels = levels_of(*flavor);
        if (levels.back() != engine::kHostnameLevel || !place_of(node, *flavor, levels)) {
            continue;
        }
        if (auto verdict = find_verdict(shape.shape, shape.id, *flavor, node)) {
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
    if (!topology_flavors().empty()) {
        for (const auto& [name, entry] : nodes_) {
            if (entry.node && is_usable(*entry.node)) {
                append_verdicts(shape, *entry.node, made.nodes);
            }
        }
    }
    return made;
}

engine::NodeChanged Translator::node_event(const NodeEntry& entry) const {
    SLUICE_ASSERT(entry.node.has_value());
    const api::Node& node = *entry.node;
    engine::Node made{.name = node.metadata.name, .places = {}, .capacity = {}, .verdicts = {}};
    if (is_usable(node)) {
        for (const api::ResourceFlavor* flavor : topology_flavors()) {
            if (auto path = place_of(node, *flavor, levels_of(*flavor))) {
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
    for (const auto& [resource, amount] : entry.foreign) {
        capacity[resource] -= amount;
    }
    for (const auto& [resource, amount] : capacity) {
        made.capacity.push_back({.resource = resource, .amount = amount});
    }
    return {std::move(made)};
}

void Translator::append_nodes(Events& events) const {
    for (const auto& [name, entry] : nodes_) {
        if (entry.node) {
            events.push_back(node_event(entry));
        }
    }
}

Translator::Events Translator::set(const api::Node& node) {
    NodeEntry& entry = nodes_[node.metadata.name];
    const bool is_unchanged = entry.node && entry.node->metadata.labels == node.metadata.labels &&
                              entry.node->spec == node.spec &&
                              entry.node->status.allocatable == node.status.allocatable &&
                              is_usable(*entry.node) == is_usable(node);
    entry.node = node;
    return is_unchanged ? Events() : Events{node_event(entry)};
}

Translator::Events Translator::remove_node(const std::string& name) {
    const auto at = nodes_.find(name);
    if (at == nodes_.end() || !at->second.node) {
        return {};
    }
    at->second.node.reset();
    if (at->second.pods == 0) {
        nodes_.erase(at);
    }
    return {engine::NodeDeleted{name}};
}

void Translator::count_pod(const ForeignPod& pod, std::int64_t times) {
    NodeEntry& entry = nodes_[pod.node];
    for (const auto& request : pod.requests) {
        engine::Amount& sum = entry.foreign[request.resource];
        sum = times > 0 ? sum + request.amount : sum - request.amount;
    }
    entry.pods = times > 0 ? entry.pods + 1 : entry.pods - 1;
    if (entry.pods == 0) {
        entry.foreign.clear();
    }
}

void Translator::append_capacity(const std::string& node, Events& events) const {
    const auto at = nodes_.find(node);
    if (at != nodes_.end() && at->second.node) {
        events.push_back(node_event(at->second));
    }
}

Translator::Events Translator::set(const api::Pod& pod) {
    if (!is_foreign(pod)) {
        return remove_pod(pod.metadata.namespace_, pod.metadata.name);
    }
    ForeignPod made{
        .node = pod.spec.node_name,
        .requests = to_engine_requests(pod_requests(api::effective_resources(pod.spec))),
    };
    std::erase_if(made.requests, [](const auto& r) { return r.resource == kPods; });
    made.requests.push_back({.resource = kPods, .amount = engine::Amount(1)});
    const auto [at, is_new] =
        foreign_pods_.try_emplace(pod.metadata.namespace_ + "/" + pod.metadata.name);
    if (!is_new && at->second.node == made.node && at->second.requests == made.requests) {
        return {};
    }
    Events events;
    if (!is_new) {
        const std::string before = at->second.node;
        count_pod(at->second, -1);
        if (before != made.node) {
            append_capacity(before, events);
        }
    }
    at->second = std::move(made);
    count_pod(at->second, 1);
    append_capacity(at->second.node, events);
    return events;
}

Translator::Events Translator::remove_pod(const std::string& ns, const std::string& name) {
    const auto pod = foreign_pods_.extract(ns + "/" + name);
    if (!pod) {
        return {};
    }
    Events events;
    count_pod(pod.mapped(), -1);
    append_capacity(pod.mapped().node, events);
    if (const auto at = nodes_.find(pod.mapped().node); at->second.pods == 0 && !at->second.node) {
        nodes_.erase(at);
    }
    return events;
}

}  // namespace sluice::workload
