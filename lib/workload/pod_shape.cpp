#include "workload/pod_shape.hpp"

#include "api/node_affinity.hpp"
#include "api/taint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace sluice::workload {
namespace {

bool matches_selector(const api::StringMap& selector, const api::StringMap& labels) {
    return std::ranges::all_of(selector, [&](const auto& wanted) {
        const auto label = labels.find(wanted.first);
        return label == labels.end() || label->second == wanted.second;
    });
}

bool matches_any(const std::vector<api::NodeSelectorTerm>& terms, const api::StringMap& labels) {
    const auto is_known = [&](const api::NodeSelectorRequirement& e) {
        return labels.contains(e.key);
    };
    const bool some_term_is_open =
        std::ranges::any_of(terms, [&](const api::NodeSelectorTerm& term) {
            return std::ranges::none_of(term.match_expressions, is_known);
        });
    if (terms.empty() || some_term_is_open) {
        return true;
    }
    return std::ranges::any_of(terms, [&](const api::NodeSelectorTerm& term) {
        return std::ranges::all_of(
            term.match_expressions,
            [&](const api::NodeSelectorRequirement& e) {
                return !is_known(e) || api::matches(e, labels);
            }
        );
    });
}

void append(std::string& key, std::string_view text) {
    fmt::format_to(std::back_inserter(key), "{}:{}", text.size(), text);
}

}  // namespace

PodShape make_pod_shape(const api::PodSpec& pod) {
    PodShape shape{
        .tolerations = pod.tolerations, .node_selector = pod.node_selector, .required_terms = {}
    };
    if (pod.affinity && pod.affinity->node_affinity) {
        const auto& required =
            pod.affinity->node_affinity->required_during_scheduling_ignored_during_execution;
        if (required) {
            shape.required_terms = required->node_selector_terms;
        }
    }
    return shape;
}

std::string to_key(const PodShape& shape) {
    std::string key;
    for (const auto& toleration : shape.tolerations) {
        for (const auto* part :
             {&toleration.key, &toleration.operator_, &toleration.value, &toleration.effect}) {
            append(key, *part);
        }
    }
    key += '/';
    for (const auto& [label, value] : shape.node_selector) {
        append(key, label);
        append(key, value);
    }
    for (const auto& term : shape.required_terms) {
        key += '/';
        for (const auto& expression : term.match_expressions) {
            key += '+';
            append(key, expression.key);
            append(key, expression.operator_);
            for (const auto& value : expression.values) {
                append(key, value);
            }
        }
    }
    return key;
}

std::optional<engine::ShapeRefusal> find_refusal(
    const PodShape& shape, const api::ResourceFlavor& flavor
) {
    std::vector<api::Toleration> tolerations = shape.tolerations;
    tolerations.insert(
        tolerations.end(), flavor.spec.tolerations.begin(), flavor.spec.tolerations.end()
    );
    const auto& taints = flavor.spec.node_taints;
    if (const auto* taint = api::find_untolerated_taint(taints, tolerations, true)) {
        return engine::ShapeRefusal{
            .flavor = flavor.metadata.name,
            .kind = engine::ShapeRefusalKind::UntoleratedTaint,
            .taint = static_cast<std::uint32_t>(taint - taints.data()),
        };
    }
    const auto& labels = flavor.spec.node_labels;
    if (!matches_selector(shape.node_selector, labels) ||
        !matches_any(shape.required_terms, labels)) {
        return engine::ShapeRefusal{.flavor = flavor.metadata.name};
    }
    return std::nullopt;
}

}  // namespace sluice::workload
