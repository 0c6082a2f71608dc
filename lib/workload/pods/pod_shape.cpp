#include "workload/pods/pod_shape.hpp"

#include "api/core/node_affinity.hpp"
#include "api/core/taint.hpp"
#include "api/kueue/sluice_names.hpp"
#include "api/meta/micro_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace sluice::workload {
namespace {

bool matches_selector(const api::StringMap& selector, const api::StringMap& labels) {
    return std::ranges::all_of(selector, [&](const auto& wanted) {
        const auto label = labels.find(wanted.first);
        return label == labels.end() || label->second == wanted.second;
    });
}

using Expressions = std::vector<api::NodeSelectorRequirement>;

/// Returns the expressions of each term whose keys are among the labels. Empty if a term has no
/// such expression: then the affinity matches everywhere.
std::vector<Expressions> known_terms(
    const std::vector<api::NodeSelectorTerm>& terms, const api::StringMap& labels
) {
    std::vector<Expressions> known;
    for (const auto& term : terms) {
        Expressions& expressions = known.emplace_back();
        std::ranges::copy_if(
            term.match_expressions,
            std::back_inserter(expressions),
            [&](const api::NodeSelectorRequirement& e) { return labels.contains(e.key); }
        );
        if (expressions.empty()) {
            return {};
        }
    }
    return known;
}

std::vector<std::string> find_problems(const Expressions& expressions, std::size_t term) {
    std::vector<std::string> found;
    for (std::size_t i = 0; i < expressions.size(); ++i) {
        const auto path = fmt::format("nodeSelectorTerms[{}].matchExpressions[{}]", term, i);
        std::ranges::move(api::find_problems(expressions[i], path), std::back_inserter(found));
    }
    return found;
}

struct AffinityVerdict {
    bool matches = false;
    std::vector<std::string> problems;  ///< faults of the terms, if no other term matches
};

AffinityVerdict judge(
    const std::vector<api::NodeSelectorTerm>& terms, const api::StringMap& labels
) {
    const auto known = known_terms(terms, labels);
    AffinityVerdict verdict{.matches = known.empty(), .problems = {}};
    for (std::size_t i = 0; i < known.size() && !verdict.matches; ++i) {
        auto problems = find_problems(known[i], i);
        verdict.matches =
            problems.empty() && std::ranges::all_of(known[i], [&](const auto& expression) {
                return api::matches(expression, labels);
            });
        std::ranges::move(problems, std::back_inserter(verdict.problems));
    }
    return verdict;
}

std::optional<engine::ShapeRefusalKind> find_fault(
    const TopologyNeed& need, const api::ResourceFlavor& flavor, const TopologyLevels& topologies
) {
    const auto topology = topologies.find(flavor.spec.topology_name);
    if (topology == topologies.end()) {
        return engine::ShapeRefusalKind::MissingTopology;
    }
    const bool has_all = std::ranges::all_of(need.levels, [&](const std::string& level) {
        return std::ranges::find(topology->second, level) != topology->second.end();
    });
    return need.names_level && has_all
               ? std::nullopt
               : std::optional(engine::ShapeRefusalKind::MissingTopologyLevel);
}

void append(std::string& key, std::string_view text) {
    fmt::format_to(std::back_inserter(key), "{}:{}", text.size(), text);
}

void append(std::string& key, const std::vector<api::NodeSelectorRequirement>& expressions) {
    for (const auto& expression : expressions) {
        key += '+';
        append(key, expression.key);
        append(key, expression.operator_);
        for (const auto& value : expression.values) {
            append(key, value);
        }
    }
}

void append(std::string& key, const api::NodeSelectorTerm& term) {
    key += '/';
    append(key, term.match_expressions);
    key += '*';
    append(key, term.match_fields);
}

void append(std::string& key, const engine::TopologyRequest& request) {
    key += request.required ? 'r' : '-';
    append(key, request.required.value_or(""));
    key += request.preferred ? 'p' : '-';
    append(key, request.preferred.value_or(""));
    key += request.unconstrained ? 'u' : '-';
    for (const auto& slice : request.slices) {
        append(key, slice.level);
        fmt::format_to(std::back_inserter(key), "{}/", slice.size);
    }
}

}  // namespace

PodShape make_pod_shape(const api::PodSpec& pod) {
    PodShape shape{
        .tolerations = pod.tolerations,
        .node_selector = pod.node_selector,
        .required_terms = {},
        .preferred_terms = {},
        .topology = {},
        .placement_fault = {},
    };
    if (pod.affinity && pod.affinity->node_affinity) {
        const auto& affinity = *pod.affinity->node_affinity;
        const auto& required = affinity.required_during_scheduling_ignored_during_execution;
        if (required) {
            shape.required_terms = required->node_selector_terms;
            shape.has_required_affinity = true;
        }
        shape.preferred_terms = affinity.preferred_during_scheduling_ignored_during_execution;
    }
    return shape;
}

void apply_update(
    const api::PodSetUpdate& update, const api::PodTemplateSpec& pods, PodShape& shape
) {
    const auto add = [&](std::string_view field,
                         const api::StringMap& present,
                         const api::StringMap& added) {
        for (const auto& [key, value] : present) {
            const auto other = added.find(key);
            if (other != added.end() && other->second != value && shape.placement_fault.empty()) {
                shape.placement_fault = fmt::format(
                    "invalid podSetUpdate for PodSet {}, error: invalid admission check "
                    "PodSetUpdate: conflict for {}: conflict for key={}, value1={}, value2={}",
                    update.name,
                    field,
                    key,
                    value,
                    other->second
                );
            }
        }
    };
    add("annotations", pods.metadata.annotations, update.annotations);
    add("labels", pods.metadata.labels, update.labels);
    add("nodeSelector", shape.node_selector, update.node_selector);
    shape.node_selector.insert(update.node_selector.begin(), update.node_selector.end());
    shape.tolerations.insert(
        shape.tolerations.end(), update.tolerations.begin(), update.tolerations.end()
    );
}

std::optional<TopologyNeed> find_topology_need(
    const api::PodSet& pod_set, const api::ResourceList& requests
) {
    const auto& request = pod_set.topology_request;
    if (!request) {
        return std::nullopt;
    }
    const auto& constraints = request->podset_slice_required_topology_constraints;
    const auto& slice_level = request->pod_set_slice_required_topology;
    if (!request->required && !request->preferred && !request->unconstrained && !slice_level &&
        !request->pod_set_slice_size && constraints.empty()) {
        return std::nullopt;
    }
    TopologyNeed need;
    if (const auto& level = request->required ? request->required : request->preferred) {
        need.levels.push_back(*level);
    }
    for (const auto& constraint : constraints) {
        need.levels.push_back(constraint.topology);
    }
    if (constraints.empty() && slice_level) {
        need.levels.push_back(*slice_level);
    }
    need.request = {
        .required = request->required,
        .preferred = request->preferred,
        .unconstrained = request->unconstrained.value_or(false),
        .slices = {},
    };
    for (const auto& constraint : constraints) {
        need.request.slices.push_back({.level = constraint.topology, .size = constraint.size});
    }
    if (constraints.empty() && slice_level) {
        need.request.slices.push_back(
            {.level = *slice_level, .size = request->pod_set_slice_size.value_or(0)}
        );
    }
    need.names_level = !need.levels.empty() || request->unconstrained.value_or(false);
    for (const auto& [resource, amount] : requests) {
        need.resources.push_back(resource);
    }
    return need;
}

std::vector<RejectingNode> rejecting_nodes(const api::ObjectMeta& workload) {
    std::vector<RejectingNode> nodes;
    const std::string* list = workload.find_annotation(api::annotation::kRejectedBy);
    for (std::size_t begin = 0; list != nullptr && begin < list->size();) {
        const std::size_t end = std::min(list->find(',', begin), list->size());
        const std::string_view part = std::string_view(*list).substr(begin, end - begin);
        const std::size_t equals = std::min(part.find('='), part.size());
        const auto at = api::parse_time(part.substr(std::min(equals + 1, part.size())));
        if (equals > 0 && at) {
            nodes.push_back({.name = std::string(part.substr(0, equals)), .at = *at});
        }
        begin = end + 1;
    }
    return nodes;
}

PodShape with_extended_tolerations(PodShape shape) {
    for (const std::string& resource : shape.extended_resources) {
        shape.tolerations.push_back({.key = resource, .operator_ = "Exists"});
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
    key += shape.has_required_affinity ? "/required" : "";
    for (const auto& term : shape.required_terms) {
        append(key, term);
    }
    for (const auto& [weight, term] : shape.preferred_terms) {
        fmt::format_to(std::back_inserter(key), "/{}", weight);
        append(key, term);
    }
    append(key, shape.placement_fault);
    for (const auto& resource : shape.extended_resources) {
        append(key, resource);
    }
    for (const auto& node : shape.rejecting_nodes) {
        append(key, node);
        key += '!';
    }
    if (shape.topology) {
        key += shape.topology->names_level ? "/topology" : "/none";
        append(key, shape.topology->request);
        for (const auto& level : shape.topology->levels) {
            append(key, level);
        }
        key += '/';
        for (const auto& resource : shape.topology->resources) {
            append(key, resource);
        }
    }
    return key;
}

std::optional<engine::ShapeRefusal> find_refusal(
    const PodShape& shape, const api::ResourceFlavor& flavor, const TopologyLevels& topologies
) {
    if (shape.topology && !flavor.spec.topology_name.empty()) {
        if (const auto kind = find_fault(*shape.topology, flavor, topologies)) {
            return engine::ShapeRefusal{.flavor = flavor.metadata.name, .kind = *kind};
        }
    }
    std::vector<api::Toleration> tolerations = shape.tolerations;
    tolerations.insert(
        tolerations.end(), flavor.spec.tolerations.begin(), flavor.spec.tolerations.end()
    );
    const auto& taints = flavor.spec.node_taints;
    if (const auto* taint = api::find_untolerated_taint(
            taints, tolerations, api::TolerationOperators::WithNumeric
        )) {
        return engine::ShapeRefusal{
            .flavor = flavor.metadata.name,
            .kind = engine::ShapeRefusalKind::UntoleratedTaint,
            .taint = static_cast<std::uint32_t>(taint - taints.data()),
        };
    }
    const auto& labels = flavor.spec.node_labels;
    if (!matches_selector(shape.node_selector, labels)) {
        return engine::ShapeRefusal{.flavor = flavor.metadata.name};
    }
    const AffinityVerdict verdict = judge(shape.required_terms, labels);
    if (verdict.matches) {
        return std::nullopt;
    }
    return engine::ShapeRefusal{
        .flavor = flavor.metadata.name,
        .kind = verdict.problems.empty() ? engine::ShapeRefusalKind::NodeAffinity
                                         : engine::ShapeRefusalKind::InvalidAffinity,
    };
}

std::string affinity_problem(const PodShape& shape, const api::ResourceFlavor& flavor) {
    const auto problems = judge(shape.required_terms, flavor.spec.node_labels).problems;
    return problems.size() > 1 ? fmt::format("[{}]", fmt::join(problems, ", "))
                               : fmt::format("{}", fmt::join(problems, ""));
}

}  // namespace sluice::workload
