#include "sim/pods/pod_neighbours.hpp"

#include "apiserver/objects/field_checks.hpp"
#include "sim/objects/fields.hpp"
#include "sim/pods/pod_life.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace sluice::sim {

namespace {

constexpr const char* kRequired = "requiredDuringSchedulingIgnoredDuringExecution";

const json::Array& terms_of(const json::Value& pod, const char* kind) {
    return list_at(pod, {"spec", "affinity", kind, kRequired});
}

const json::Array& spreads_of(const json::Value& pod) {
    return list_at(pod, {"spec", "topologySpreadConstraints"});
}

/// Returns the value of the node's label; nullptr if the node does not have it.
const json::Value* domain_of(const json::Value& node, std::string_view key) {
    return node.find_path({"metadata", "labels", key});
}

const json::Value* labels_of_object(const json::Value& object) {
    return object.find_path({"metadata", "labels"});
}

bool is_deleted_pod(const json::Value& pod) {
    return pod.find_path({"metadata", "deletionTimestamp"}) != nullptr;
}

bool is_demanding(const json::Value& pod) {
    return !terms_of(pod, "podAffinity").empty() || !terms_of(pod, "podAntiAffinity").empty() ||
           !spreads_of(pod).empty();
}

}  // namespace

PodNeighbours::PodNeighbours(
    const apiserver::Store::Objects& pods,
    const apiserver::Store::Objects& nodes,
    const apiserver::Store::Objects& namespaces
)
    : nodes_(nodes), namespaces_(namespaces) {
    for (const auto& [name, pod] : pods) {
        const std::string node(text_at(*pod, {"spec", "nodeName"}));
        if (!node.empty() && !has_ended(*pod)) {
            place(*pod, node);
        }
    }
}

void PodNeighbours::place(const json::Value& pod, const std::string& node) {
    if (const auto found = nodes_.find({"", node}); found != nodes_.end()) {
        placed_.push_back({&pod, found->second.get()});
    }
}

/// Returns true if a term of the pod `of` selects the other pod. A term without namespaces selects
/// pods of the namespace of `of`.
bool PodNeighbours::is_meant(
    const json::Value& term, const json::Value& of, const json::Value& other
) const {
    const std::string_view ns = text_at(other, {"metadata", "namespace"});
    const json::Array& named = list_at(term, {"namespaces"});
    const json::Value* selector = term.find("namespaceSelector");
    bool is_there = std::ranges::find(named, json::Value(ns)) != named.end();
    if (selector != nullptr && selector->is_object()) {
        const auto space = namespaces_.find({"", std::string(ns)});
        is_there = is_there || (space != namespaces_.end() &&
                                apiserver::selects(selector, labels_of_object(*space->second)));
    } else if (named.empty()) {
        is_there = ns == text_at(of, {"metadata", "namespace"});
    }
    return is_there && apiserver::selects(term.find("labelSelector"), labels_of_object(other));
}

bool PodNeighbours::Domains::hold(const json::Value& node) const {
    const json::Value* domain = domain_of(node, key);
    return domain != nullptr && domain->is_string() && values.contains(domain->as_string());
}

/// Returns the domains of the pods that a term of this pod selects.
PodNeighbours::Domains PodNeighbours::domains_of(const json::Value& term, const json::Value& pod)
    const {
    Domains domains{.key = term.string_at("topologyKey"), .values = {}};
    for (const Placed& other : placed_) {
        const json::Value* domain = domain_of(*other.node, domains.key);
        if (domain != nullptr && domain->is_string() && is_meant(term, pod, *other.pod)) {
            domains.values.insert(domain->as_string());
        }
    }
    return domains;
}

PodNeighbours::Spread PodNeighbours::gather_spread(
    const json::Value& constraint,
    const json::Value& pod,
    const std::map<std::string, bool>& is_possible
) const {
    Spread spread{.key = constraint.string_at("topologyKey"), .counts = {}, .most = 0};
    const bool honors = constraint.string_at("nodeAffinityPolicy") != "Ignore";
    for (const auto& [name, node] : nodes_) {
        const auto possible = is_possible.find(name.name);
        const json::Value* domain = domain_of(*node, spread.key);
        const bool counts_here = !honors || possible == is_possible.end() || possible->second;
        if (domain != nullptr && domain->is_string() && counts_here) {
            spread.counts.emplace(domain->as_string(), 0);
        }
    }
    const json::Value* selector = constraint.find("labelSelector");
    const std::string_view ns = text_at(pod, {"metadata", "namespace"});
    for (const Placed& other : placed_) {
        const json::Value* domain = domain_of(*other.node, spread.key);
        const auto found = domain == nullptr || !domain->is_string()
                               ? spread.counts.end()
                               : spread.counts.find(domain->as_string());
        if (found != spread.counts.end() && text_at(*other.pod, {"metadata", "namespace"}) == ns &&
            !is_deleted_pod(*other.pod) &&
            apiserver::selects(selector, labels_of_object(*other.pod))) {
            ++found->second;
        }
    }
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const auto& [domain, count] : spread.counts) {
        least = std::min(least, count);
    }
    const auto domains = static_cast<std::int64_t>(spread.counts.size());
    if (spread.counts.empty() || domains < find_int(constraint, {"minDomains"}).value_or(1)) {
        least = 0;
    }
    const std::int64_t self = apiserver::selects(selector, labels_of_object(pod)) ? 1 : 0;
    spread.most = find_int(constraint, {"maxSkew"}).value_or(1) + least - self;
    return spread;
}

PodNeighbours::Demands PodNeighbours::gather(
    const json::Value& pod, const std::map<std::string, bool>& is_possible
) const {
    Demands demands;
    for (const json::Value& term : terms_of(pod, "podAffinity")) {
        Domains near = domains_of(term, pod);
        // The first of several pods that must be together may be placed in any domain.
        if (near.values.empty() && is_meant(term, pod, pod)) {
            for (const auto& [name, node] : nodes_) {
                const json::Value* domain = domain_of(*node, near.key);
                if (domain != nullptr && domain->is_string()) {
                    near.values.insert(domain->as_string());
                }
            }
        }
        demands.near.push_back(std::move(near));
    }
    for (const json::Value& term : terms_of(pod, "podAntiAffinity")) {
        demands.apart.push_back(domains_of(term, pod));
    }
    for (const Placed& other : placed_) {
        for (const json::Value& term : terms_of(*other.pod, "podAntiAffinity")) {
            const std::string_view key = term.string_at("topologyKey");
            const json::Value* domain = domain_of(*other.node, key);
            if (domain != nullptr && domain->is_string() && is_meant(term, *other.pod, pod)) {
                demands.forbidden.push_back({.key = key, .values = {domain->as_string()}});
            }
        }
    }
    for (const json::Value& constraint : spreads_of(pod)) {
        if (constraint.string_at("whenUnsatisfiable") != "ScheduleAnyway") {
            demands.spreads.push_back(gather_spread(constraint, pod, is_possible));
        }
    }
    return demands;
}

std::string PodNeighbours::find_obstacle(const Demands& demands, const json::Value& node) {
    for (const Spread& spread : demands.spreads) {
        const json::Value* domain = domain_of(node, spread.key);
        if (domain == nullptr || !domain->is_string()) {
            return "node(s) didn't match pod topology spread constraints (missing required label)";
        }
        const auto here = spread.counts.find(domain->as_string());
        if ((here == spread.counts.end() ? 0 : here->second) > spread.most) {
            return "node(s) didn't match pod topology spread constraints";
        }
    }
    const auto holds = [&node](const Domains& domains) { return domains.hold(node); };
    if (!std::ranges::all_of(demands.near, holds)) {
        return "node(s) didn't match pod affinity rules";
    }
    if (std::ranges::any_of(demands.apart, holds)) {
        return "node(s) didn't match pod anti-affinity rules";
    }
    return std::ranges::any_of(demands.forbidden, holds)
               ? "node(s) didn't satisfy existing pods anti-affinity rules"
               : std::string();
}

std::map<std::string, std::string> PodNeighbours::find_obstacles(
    const json::Value& pod, const std::map<std::string, bool>& is_possible
) const {
    std::map<std::string, std::string> obstacles;
    const bool concerns_others = std::ranges::any_of(placed_, [](const Placed& other) {
        return !terms_of(*other.pod, "podAntiAffinity").empty();
    });
    if (!is_demanding(pod) && !concerns_others) {
        return obstacles;
    }
    const Demands demands = gather(pod, is_possible);
    for (const auto& [name, node] : nodes_) {
        if (std::string obstacle = find_obstacle(demands, *node); !obstacle.empty()) {
            obstacles.emplace(name.name, std::move(obstacle));
        }
    }
    return obstacles;
}

}  // namespace sluice::sim
