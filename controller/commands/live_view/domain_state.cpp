#include "controller/commands/live_view/domain_state.hpp"

#include "api/core/taint.hpp"
#include "api/kueue/kueue_names.hpp"
#include "api/kueue/topology_assignment.hpp"
#include "api/meta/codec.hpp"
#include "sim/objects/fields.hpp"
#include "sim/pods/pod_life.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace sluice::commands {

namespace {

using sim::find_element;
using sim::list_at;
using sim::text_at;

const apiserver::Collection flavors_collection{api::kKueueGroup, "resourceflavors"};
const apiserver::Collection topologies_collection{api::kKueueGroup, "topologies"};

api::Quantity to_quantity(sim::Amount billionths) {
    constexpr sim::Amount kWhole = 1'000'000'000;
    constexpr sim::Amount kMilli = 1'000'000;
    const bool is_whole = billionths % kWhole == 0;
    const auto number = static_cast<std::int64_t>(billionths / (is_whole ? kWhole : kMilli));
    const auto made = api::Quantity::parse(std::to_string(number) + (is_whole ? "" : "m"));
    return made ? *made : api::Quantity();
}

/// Sums the requests of the pods on each node.
std::map<std::string, sim::Amounts, std::less<>> read_requests(const apiserver::Store& store) {
    std::map<std::string, sim::Amounts, std::less<>> requests;
    for (const auto& [name, pod] : store.objects({"", "pods"})) {
        const std::string_view node = text_at(*pod, {"spec", "nodeName"});
        const std::string_view phase = text_at(*pod, {"status", "phase"});
        if (node.empty() || phase == "Succeeded" || phase == "Failed") {
            continue;
        }
        sim::Amounts& sums = requests[std::string(node)];
        for (const auto& [resource, amount] : sim::requests_of(*pod)) {
            sums[resource] += amount;
        }
    }
    return requests;
}

/// The resources of each flavor that queues have quota for.
std::map<std::string, std::set<std::string>, std::less<>> read_resources(
    const apiserver::Store& store
) {
    std::map<std::string, std::set<std::string>, std::less<>> found;
    for (const auto& [name, queue] : store.objects({api::kKueueGroup, "clusterqueues"})) {
        for (const json::Value& group : list_at(*queue, {"spec", "resourceGroups"})) {
            for (const json::Value& flavor : list_at(group, {"flavors"})) {
                for (const json::Value& resource : list_at(flavor, {"resources"})) {
                    found[std::string(flavor.string_at("name"))].emplace(resource.string_at("name")
                    );
                }
            }
        }
    }
    for (auto& [flavor, resources] : found) {
        const auto is_extended = [](const std::string& name) {
            return name.find('/') != std::string::npos;
        };
        if (std::ranges::any_of(resources, is_extended)) {
            std::erase_if(resources, std::not_fn(is_extended));
        }
    }
    return found;
}

/// Returns the labels of the levels that the view shows; empty if the topology does not exist.
std::vector<std::string> shown_levels(const apiserver::Store& store, std::string_view topology) {
    std::vector<std::string> levels;
    for (const auto& [name, object] : store.objects(topologies_collection)) {
        if (name.name == topology) {
            for (const json::Value& level : list_at(*object, {"spec", "levels"})) {
                levels.emplace_back(level.string_at("nodeLabel"));
            }
        }
    }
    if (levels.size() > 1 && levels.back() == api::kHostnameLabel) {
        levels.pop_back();
    }
    return levels;
}

/// Returns the domain of a flavor's node; nullopt if the flavor does not have the node or if a
/// level's label is missing.
std::optional<std::string> domain_of(
    const json::Value& node, const json::Value& flavor, const std::vector<std::string>& levels
) {
    const json::Value* labels = node.find_path({"metadata", "labels"});
    const json::Value* wanted = flavor.find_path({"spec", "nodeLabels"});
    if (labels == nullptr || levels.empty()) {
        return std::nullopt;
    }
    if (wanted != nullptr && wanted->is_object()) {
        for (const auto& [key, value] : wanted->as_object()) {
            if (labels->string_at(key) != wanted->string_at(key)) {
                return std::nullopt;
            }
        }
    }
    std::string domain;
    for (const std::string& level : levels) {
        const std::string_view value = labels->string_at(level);
        if (value.empty()) {
            return std::nullopt;
        }
        domain += (domain.empty() ? "" : "/") + std::string(value);
    }
    return domain;
}

/// Reads those objects of the list that can be read.
template <class T>
std::vector<T> read_list(const json::Array& list) {
    std::vector<T> read;
    for (const json::Value& each : list) {
        if (auto object = api::from_value<T>(each)) {
            read.push_back(*std::move(object));
        }
    }
    return read;
}

/// Returns true if the flavor's pods do not start there: the node is not Ready, or cordoned, or has
/// a taint that neither the flavor tolerates nor is named like one of the node's resources.
bool is_lost(const json::Value& node, const json::Value& flavor) {
    if (sim::is_true_at(node, {"spec", "unschedulable"}) || !sim::has_condition(node, "Ready")) {
        return true;
    }
    const json::Value* room = node.find_path({"status", "allocatable"});
    std::vector<api::Taint> taints = read_list<api::Taint>(list_at(node, {"spec", "taints"}));
    std::erase_if(taints, [&](const api::Taint& taint) {
        return find_element(list_at(flavor, {"spec", "nodeTaints"}), "key", taint.key) != nullptr ||
               (room != nullptr && room->find(taint.key) != nullptr);
    });
    const auto tolerations = read_list<api::Toleration>(list_at(flavor, {"spec", "tolerations"}));
    return api::find_untolerated_taint(taints, tolerations) != nullptr;
}

struct Domain {
    std::size_t nodes = 0;
    std::size_t lost = 0;
    sim::Amounts allocatable;
    sim::Amounts used;
};

}  // namespace

std::vector<DomainState> read_domain_states(const apiserver::Store& store) {
    std::vector<DomainState> states;
    const auto& flavors = store.objects(flavors_collection);
    const bool is_any = std::ranges::any_of(flavors, [](const auto& flavor) {
        return !text_at(*flavor.second, {"spec", "topologyName"}).empty();
    });
    if (!is_any) {
        return states;
    }
    const auto requests = read_requests(store);
    const auto resources = read_resources(store);
    for (const auto& [name, flavor] : flavors) {
        const auto levels = shown_levels(store, text_at(*flavor, {"spec", "topologyName"}));
        std::map<std::string, Domain> domains;
        for (const auto& [node_name, node] : store.objects({"", "nodes"})) {
            const auto path = domain_of(*node, *flavor, levels);
            if (!path) {
                continue;
            }
            Domain& domain = domains[*path];
            ++domain.nodes;
            if (is_lost(*node, *flavor)) {
                ++domain.lost;
                continue;
            }
            for (const auto& [resource, amount] : sim::room_of(*node)) {
                domain.allocatable[resource] += amount;
            }
            if (const auto at = requests.find(node_name.name); at != requests.end()) {
                for (const auto& [resource, amount] : at->second) {
                    domain.used[resource] += amount;
                }
            }
        }
        const auto of_flavor = resources.find(name.name);
        for (auto& [path, domain] : domains) {
            for (const std::string& resource :
                 of_flavor == resources.end() ? std::set<std::string>() : of_flavor->second) {
                states.push_back(
                    {.flavor = name.name,
                     .domain = path,
                     .resource = resource,
                     .nodes = domain.nodes,
                     .lost = domain.lost,
                     .allocatable = to_quantity(domain.allocatable[resource]),
                     .used = to_quantity(domain.used[resource])}
                );
            }
        }
    }
    return states;
}

}  // namespace sluice::commands
