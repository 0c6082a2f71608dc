#include "sim/pod_neighbours.hpp"

#include "apiserver/field_checks.hpp"
#include "sim/fields.hpp"
#include "sim/pod_life.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace sluice::sim {

namespace {

constexpr const char* kRequired = "requiredDuringSchedulingIgnoredDuringExecution";

const json::Array& terms_of(const json::Value& pod, const char* kind) {
    return list_at(pod, {"spec", "affinity", kind, kRequired});
}

const json::Array& spreads_of(const json::Value& pod) {
    return list_at(pod, {"spec", "topologySpreadConstraints"});
}

/// The value of the node's label; nullptr: it has none.
const json::Value* domain_of(const json::Value& node, std::string_view key) {
    return node.find_path({"metadata", "labels", key});
}

bool is_same_domain(const json::Value& one, const json::Value& other, std::string_view key) {
    const json::Value* left = domain_of(one, key);
    const json::Value* right = domain_of(other, key);
    return left != nullptr && right != nullptr && *left == *right;
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

/// Whether a term of the pod `of` is about the other pod. A term without namespaces is about those
/// of its own.
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

std::string PodNeighbours::find_affinity_obstacle(const json::Value& pod, const json::Value& node)
    const {
    for (const json::Value& term : terms_of(pod, "podAffinity")) {
        const std::string_view key = term.string_at("topologyKey");
        const auto is_near = [&](const Placed& other) {
            return is_same_domain(*other.node, node, key) && is_meant(term, pod, *other.pod);
        };
        const auto is_anywhere = [&](const Placed& other) {
            return domain_of(*other.node, key) != nullptr && is_meant(term, pod, *other.pod);
        };
        // The first of pods that want to be together may go anywhere.
        const bool is_first =
            is_meant(term, pod, pod) && std::ranges::none_of(placed_, is_anywhere);
        if (domain_of(node, key) == nullptr ||
            (!is_first && std::ranges::none_of(placed_, is_near))) {
            return "node(s) didn't match pod affinity rules";
        }
    }
    for (const Placed& other : placed_) {
        for (const json::Value& term : terms_of(pod, "podAntiAffinity")) {
            if (is_same_domain(*other.node, node, term.string_at("topologyKey")) &&
                is_meant(term, pod, *other.pod)) {
                return "node(s) didn't match pod anti-affinity rules";
            }
        }
    }
    for (const Placed& other : placed_) {
        for (const json::Value& term : terms_of(*other.pod, "podAntiAffinity")) {
            if (is_same_domain(*other.node, node, term.string_at("topologyKey")) &&
                is_meant(term, *other.pod, pod)) {
                return "node(s) didn't satisfy existing pods anti-affinity rules";
            }
        }
    }
    return {};
}

std::string PodNeighbours::find_spread_obstacle(
    const json::Value& pod, const json::Value& node, const std::map<std::string, bool>& is_possible
) const {
    const std::string_view ns = text_at(pod, {"metadata", "namespace"});
    for (const json::Value& constraint : spreads_of(pod)) {
        if (constraint.string_at("whenUnsatisfiable") == "ScheduleAnyway") {
            continue;
        }
        const std::string_view key = constraint.string_at("topologyKey");
        const json::Value* own = domain_of(node, key);
        if (own == nullptr || !own->is_string()) {
            return "node(s) didn't match pod topology spread constraints (missing required label)";
        }
        const json::Value* selector = constraint.find("labelSelector");
        const bool honors = constraint.string_at("nodeAffinityPolicy") != "Ignore";
        std::map<std::string, std::int64_t> counts;
        for (const auto& [name, each] : nodes_) {
            const auto possible = is_possible.find(name.name);
            const json::Value* domain = domain_of(*each, key);
            const bool counts_here = !honors || possible == is_possible.end() || possible->second;
            if (domain != nullptr && domain->is_string() && counts_here) {
                counts.emplace(domain->as_string(), 0);
            }
        }
        for (const Placed& other : placed_) {
            const json::Value* domain = domain_of(*other.node, key);
            const bool is_counted = domain != nullptr && domain->is_string() &&
                                    text_at(*other.pod, {"metadata", "namespace"}) == ns &&
                                    !is_deleted_pod(*other.pod) &&
                                    apiserver::selects(selector, labels_of_object(*other.pod));
            if (const auto found = is_counted ? counts.find(domain->as_string()) : counts.end();
                found != counts.end()) {
                ++found->second;
            }
        }
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        for (const auto& [domain, count] : counts) {
            least = std::min(least, count);
        }
        const auto domains = static_cast<std::int64_t>(counts.size());
        if (counts.empty() || domains < find_int(constraint, {"minDomains"}).value_or(1)) {
            least = 0;
        }
        const auto here = counts.find(own->as_string());
        const std::int64_t self = apiserver::selects(selector, labels_of_object(pod)) ? 1 : 0;
        const std::int64_t count = here == counts.end() ? 0 : here->second;
        if (count + self - least > find_int(constraint, {"maxSkew"}).value_or(1)) {
            return "node(s) didn't match pod topology spread constraints";
        }
    }
    return {};
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
    for (const auto& [name, node] : nodes_) {
        std::string obstacle = find_spread_obstacle(pod, *node, is_possible);
        if (obstacle.empty()) {
            obstacle = find_affinity_obstacle(pod, *node);
        }
        if (!obstacle.empty()) {
            obstacles.emplace(name.name, std::move(obstacle));
        }
    }
    return obstacles;
}

}  // namespace sluice::sim
