#include "controller/commands/cluster/node_files.hpp"

#include "api/meta/quantity.hpp"
#include "controller/commands/schedule/manifests.hpp"
#include "sim/objects/fields.hpp"
#include "sim/pods/node_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

namespace sluice::commands {

namespace {

bool names_file(std::string_view text) {
    return text.ends_with(".yaml") || text.ends_with(".yml") || text.ends_with(".json");
}

/// Returns the Node's allocatable resources; its capacity if it has none.
Result<json::Value> read_room(const json::Value& node) {
    json::Value room = sim::NodeParts().room;
    const json::Value* amounts = node.find_path({"status", "allocatable"});
    if (amounts == nullptr) {
        amounts = node.find_path({"status", "capacity"});
    }
    if (amounts == nullptr || !amounts->is_object()) {
        return room;
    }
    for (const auto& [resource, amount] : amounts->as_object()) {
        const std::string text = amount.is_string() ? amount.as_string() : json::print(amount);
        if (const auto read = api::Quantity::parse(text); !read || read->sign() < 0) {
            return make_invalid(
                fmt::format("{}={}: the amount cannot be read or is negative", resource, text)
            );
        }
        room.set(resource, text);
    }
    return room;
}

Result<json::Value> read_node(const json::Value& object) {
    const std::string name(sim::text_at(object, {"metadata", "name"}));
    if (object.string_at("kind") != "Node" || object.string_at("apiVersion") != "v1" ||
        name.empty()) {
        return make_invalid("must be a Node of apiVersion v1 with a name");
    }
    auto room = read_room(object);
    if (!room) {
        return room.error();
    }
    sim::NodeParts parts;
    parts.room = std::move(*room);
    if (const json::Value* labels = object.find_path({"metadata", "labels"});
        labels != nullptr && labels->is_object()) {
        parts.labels = *labels;
    }
    parts.taints = sim::list_at(object, {"spec", "taints"});
    json::Value node = sim::make_node(name, std::move(parts));
    if (sim::is_true_at(object, {"spec", "unschedulable"})) {
        sim::make_object_at(node, {"spec"}).set("unschedulable", true);
    }
    return node;
}

}  // namespace

Result<std::vector<json::Value>> read_nodes(const std::vector<std::string>& given) {
    std::vector<json::Value> nodes;
    for (const std::string& each : given) {
        if (!names_file(each)) {
            auto made = sim::make_nodes(each);
            if (!made) {
                return with_context(made.error(), "--nodes");
            }
            std::ranges::move(*made, std::back_inserter(nodes));
            continue;
        }
        const auto manifests = read_manifests({each});
        if (!manifests) {
            return with_context(manifests.error(), "--nodes");
        }
        for (const Manifest& manifest : *manifests) {
            auto node = read_node(manifest.object);
            if (!node) {
                return with_context(
                    node.error(), "--nodes: " + describe(manifest.place(), manifest.object)
                );
            }
            nodes.push_back(std::move(*node));
        }
    }
    return nodes;
}

}  // namespace sluice::commands
