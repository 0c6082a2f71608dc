#include "workload/pods/node_fit.hpp"

#include "api/core/node_affinity.hpp"
#include "api/core/taint.hpp"
#include "api/kueue/kueue_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace sluice::workload {
namespace {

std::string refusal_of(
    const PodShape& shape, const api::ResourceFlavor& flavor, const api::Node& node
) {
    std::vector<api::Toleration> tolerations = shape.tolerations;
    tolerations.insert(
        tolerations.end(), flavor.spec.tolerations.begin(), flavor.spec.tolerations.end()
    );
    if (const auto* taint = api::find_untolerated_taint(
            node.spec.taints, tolerations, api::TolerationOperators::WithNumeric
        )) {
        return fmt::format("taint \"{}\"", printed_taint(*taint));
    }
    if (std::ranges::find(shape.rejecting_nodes, node.metadata.name) !=
        shape.rejecting_nodes.end()) {
        return "rejectedPods";
    }
    const auto& labels = node.metadata.labels;
    const bool is_selected = std::ranges::all_of(shape.node_selector, [&](const auto& wanted) {
        const auto at = labels.find(wanted.first);
        return at != labels.end() && at->second == wanted.second;
    });
    if (!is_selected) {
        return "nodeSelector";
    }
    const bool matches = !shape.has_required_affinity ||
                         api::matches(
                             api::NodeSelector{.node_selector_terms = shape.required_terms},
                             labels,
                             node.metadata.name
                         );
    return matches ? "" : "affinity";
}

std::int64_t affinity_of(const PodShape& shape, const api::Node& node) {
    std::int64_t sum = 0;
    for (const auto& term : shape.preferred_terms) {
        const api::NodeSelector selector{.node_selector_terms = {term.preference}};
        if (api::matches(selector, node.metadata.labels, node.metadata.name)) {
            sum += term.weight;
        }
    }
    return sum;
}

}  // namespace

std::string printed_taint(const api::Taint& taint) {
    const std::string value = taint.value.empty() ? "" : "=" + taint.value;
    const bool ends = taint.effect.empty() && taint.value.empty();
    return taint.key + value + (ends ? "" : ":") + taint.effect;
}

bool is_usable(const api::Node& node) {
    const auto ready = std::ranges::find(
        node.status.conditions, std::string_view("Ready"), &api::ObjectCondition::type_
    );
    return !node.spec.unschedulable && ready != node.status.conditions.end() &&
           ready->status == "True";
}

std::optional<std::vector<std::string>> place_of(
    const api::Node& node, const api::ResourceFlavor& flavor, const std::vector<std::string>& levels
) {
    const auto& labels = node.metadata.labels;
    const bool is_selected = std::ranges::all_of(flavor.spec.node_labels, [&](const auto& wanted) {
        const auto at = labels.find(wanted.first);
        return at == labels.end() ? wanted.second.empty() : at->second == wanted.second;
    });
    if (!is_selected) {
        return std::nullopt;
    }
    std::vector<std::string> path;
    path.reserve(levels.size());
    for (const std::string& level : levels) {
        const auto at = labels.find(level);
        if (at == labels.end()) {
            return std::nullopt;
        }
        path.push_back(at->second);
    }
    return path;
}

std::optional<engine::NodeVerdict> find_verdict(
    const PodShape& shape,
    std::uint32_t shape_id,
    const api::ResourceFlavor& flavor,
    const api::Node& node
) {
    engine::NodeVerdict made{
        .node = node.metadata.name,
        .flavor = flavor.metadata.name,
        .shape = shape_id,
        .refusal = refusal_of(shape, flavor, node),
        .affinity = affinity_of(shape, node),
    };
    return made.refusal.empty() && made.affinity == 0 ? std::nullopt
                                                      : std::optional(std::move(made));
}

bool asks_for_topology(const api::ObjectMeta& pod) {
    static constexpr std::array kAsking{
        api::annotation::kPodSetRequiredTopology,
        api::annotation::kPodSetPreferredTopology,
        api::annotation::kPodSetUnconstrainedTopology,
        api::annotation::kPodSetSliceRequiredTopology,
        api::annotation::kPodSetSliceRequiredTopologyConstraints,
    };
    return std::ranges::any_of(kAsking, [&pod](const char* annotation) {
        return pod.find_annotation(annotation) != nullptr;
    });
}

bool is_foreign(const api::Pod& pod) {
    return !pod.spec.node_name.empty() && pod.status.phase != "Succeeded" &&
           pod.status.phase != "Failed" && !asks_for_topology(pod.metadata);
}

}  // namespace sluice::workload
