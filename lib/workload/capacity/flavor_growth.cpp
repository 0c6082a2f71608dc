#include "workload/capacity/flavor_growth.hpp"

#include "api/kueue/sluice_names.hpp"
#include "engine/types/topology_objects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace sluice::workload {
namespace {

/// Each new node is counted by itself, also in every report of the controller.
constexpr std::int64_t kNodesMax = 5'000;

/// Returns true if `a` has more than `b` of the first resource that differs, extended ones first.
bool is_larger(const api::ResourceList& a, const api::ResourceList& b) {
    const auto amount = [](const api::ResourceList& list, const std::string& resource) {
        const auto at = list.find(resource);
        return at == list.end() ? api::Quantity() : at->second;
    };
    std::set<std::pair<bool, std::string>> resources;
    for (const auto* list : {&a, &b}) {
        for (const auto& [resource, quantity] : *list) {
            resources.emplace(resource.find('/') == std::string::npos, resource);
        }
    }
    for (const auto& [is_basic, resource] : resources) {
        if (amount(a, resource) != amount(b, resource)) {
            return amount(a, resource) > amount(b, resource);
        }
    }
    return false;
}

}  // namespace

Result<api::ResourceList> parse_amounts(std::string_view text) {
    api::ResourceList made;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string_view part = text.substr(begin, end - begin);
        begin = end + 1;
        const std::size_t equals = part.find('=');
        if (equals == 0 || equals == std::string_view::npos) {
            return make_invalid(fmt::format("\"{}\" is not RESOURCE=AMOUNT", part));
        }
        const auto quantity = api::Quantity::parse(part.substr(equals + 1));
        if (!quantity || quantity->sign() <= 0) {
            return make_invalid(fmt::format("\"{}\" has no amount above 0", part));
        }
        if (!made.emplace(part.substr(0, equals), *quantity).second) {
            return make_invalid(fmt::format("{} is named twice", part.substr(0, equals)));
        }
    }
    return made;
}

Result<std::optional<FlavorGrowth>> read_growth(const api::ResourceFlavor& flavor) {
    const std::string* nodes = flavor.metadata.find_annotation(api::annotation::kMayGrowTo);
    const std::string* shape = flavor.metadata.find_annotation(api::annotation::kNodeShape);
    if (nodes == nullptr) {
        return std::optional<FlavorGrowth>();
    }
    FlavorGrowth made;
    const auto [end, fault] =
        std::from_chars(nodes->data(), nodes->data() + nodes->size(), made.nodes);
    if (fault != std::errc() || end != nodes->data() + nodes->size() || made.nodes < 0 ||
        made.nodes > kNodesMax) {
        return make_invalid(fmt::format(
            "annotation {}: \"{}\" is not a number of nodes from 0 to {}",
            api::annotation::kMayGrowTo,
            *nodes,
            kNodesMax
        ));
    }
    if (shape != nullptr) {
        auto amounts = parse_amounts(*shape);
        if (!amounts) {
            return make_invalid(fmt::format(
                "annotation {}: {}", api::annotation::kNodeShape, amounts.error().detail
            ));
        }
        made.shape = *std::move(amounts);
    }
    return std::optional(std::move(made));
}

void keep_larger(const api::ResourceList& node, api::ResourceList& largest) {
    if (is_larger(node, largest)) {
        largest = node;
    }
}

api::Node make_new_node(
    const api::ResourceFlavor& flavor, const api::ResourceList& shape, std::int64_t number
) {
    api::Node node;
    node.metadata.name = fmt::format("new-{}", number);
    node.metadata.labels = flavor.spec.node_labels;
    node.metadata.labels[std::string(engine::kHostnameLevel)] = node.metadata.name;
    node.status.allocatable = shape;
    // As kubelets do by default.
    node.status.allocatable.emplace("pods", api::Quantity(110));
    node.status.conditions.push_back({.type_ = "Ready", .status = "True"});
    return node;
}

}  // namespace sluice::workload
