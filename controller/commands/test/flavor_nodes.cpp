#include "controller/commands/test/flavor_nodes.hpp"

#include "api/kueue/kueue_names.hpp"
#include "sim/pods/node_spec.hpp"

#include <fmt/format.h>

#include <set>
#include <string_view>

namespace sluice::commands {

namespace {

bool is_kind(const json::Value& object, std::string_view kind) {
    return object.string_at("kind") == kind &&
           object.string_at("apiVersion").starts_with(std::string(api::kKueueGroup) + "/");
}

const json::Array& array_at(
    const json::Value& object, std::initializer_list<std::string_view> path
) {
    static const json::Array kNone;
    const json::Value* found = object.find_path(path);
    return found != nullptr && found->is_array() ? found->as_array() : kNone;
}

std::set<std::string> find_resources(const std::vector<json::Value>& objects) {
    std::set<std::string> resources{"cpu", "memory"};
    for (const json::Value& object : objects) {
        if (!is_kind(object, "ClusterQueue")) {
            continue;
        }
        for (const json::Value& group : array_at(object, {"spec", "resourceGroups"})) {
            for (const json::Value& resource : array_at(group, {"coveredResources"})) {
                if (resource.is_string() && resource.as_string() != "pods") {
                    resources.insert(resource.as_string());
                }
            }
        }
    }
    return resources;
}

/// Returns the labels of the flavor; a Node also has labels that its controller sets.
json::Value labels_of(const json::Value& flavor) {
    json::Value labels = json::Object();
    const json::Value* wanted = flavor.find_path({"spec", "nodeLabels"});
    if (wanted == nullptr || !wanted->is_object()) {
        return labels;
    }
    for (const auto& [key, value] : wanted->as_object()) {
        if (value.is_string()) {
            labels.set(key, value);
        }
    }
    return labels;
}

json::Array taints_of(const json::Value& flavor) {
    json::Array taints;
    for (const json::Value& taint : array_at(flavor, {"spec", "nodeTaints"})) {
        if (!taint.string_at("key").empty() && !taint.string_at("effect").empty()) {
            taints.push_back(taint);
        }
    }
    return taints;
}

}  // namespace

std::vector<json::Value> make_flavor_nodes(const std::vector<json::Value>& objects) {
    json::Value room = json::Object{{"pods", "1000000"}};
    for (const std::string& resource : find_resources(objects)) {
        room.set(resource, "1000000Gi");
    }
    std::vector<json::Value> nodes{sim::make_node("any-1", {.room = room})};
    int count = 0;
    for (const json::Value& object : objects) {
        if (!is_kind(object, "ResourceFlavor")) {
            continue;
        }
        json::Value labels = labels_of(object);
        json::Array taints = taints_of(object);
        if (!labels.as_object().empty() || !taints.empty()) {
            nodes.push_back(sim::make_node(
                fmt::format("flavor-{}-1", ++count),
                {.room = room, .labels = std::move(labels), .taints = std::move(taints)}
            ));
        }
    }
    return nodes;
}

}  // namespace sluice::commands
