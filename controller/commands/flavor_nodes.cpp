#include "controller/commands/flavor_nodes.hpp"

#include "api/kueue_names.hpp"

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

/// `label:key=value` and `taint:key=value:effect` of a flavor.
std::string describe(const json::Value& flavor) {
    std::string text;
    const json::Value* labels = flavor.find_path({"spec", "nodeLabels"});
    for (const auto& [key, value] :
         labels != nullptr && labels->is_object() ? labels->as_object() : json::Object{}) {
        text += fmt::format(",label:{}={}", key, value.is_string() ? value.as_string() : "");
    }
    for (const json::Value& taint : array_at(flavor, {"spec", "nodeTaints"})) {
        text += fmt::format(
            ",taint:{}={}:{}",
            taint.string_at("key"),
            taint.string_at("value"),
            taint.string_at("effect")
        );
    }
    return text;
}

}  // namespace

std::vector<std::string> describe_flavor_nodes(const std::vector<json::Value>& objects) {
    std::string room = "pods=1000000";
    for (const std::string& resource : find_resources(objects)) {
        room += fmt::format(",{}=1000000Gi", resource);
    }
    std::vector<std::string> nodes{"any: " + room};
    int count = 0;
    for (const json::Value& object : objects) {
        const std::string what = is_kind(object, "ResourceFlavor") ? describe(object) : "";
        if (!what.empty()) {
            nodes.push_back(fmt::format("flavor-{}: {}{}", ++count, room, what));
        }
    }
    return nodes;
}

}  // namespace sluice::commands
