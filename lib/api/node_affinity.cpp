#include "api/node_affinity.hpp"

#include "api/names.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

namespace sluice::api {
namespace {

/// As strconv.ParseInt reads it: a sign, leading zeros, 64 bits.
std::optional<std::int64_t> read_integer(std::string_view text) {
    if (text.starts_with('+') && !text.starts_with("+-")) {
        text.remove_prefix(1);
    }
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return value;
}

bool is_one_of(const std::vector<std::string>& values, std::string_view value) {
    return std::find(values.begin(), values.end(), value) != values.end();
}

bool is_valid(const NodeSelectorRequirement& requirement) {
    const std::string& name = requirement.operator_;
    const auto& values = requirement.values;
    const auto is_value = [](const std::string& value) { return !check_label_value(value); };
    const bool has_list = name == "In" || name == "NotIn";
    const bool has_none = name == "Exists" || name == "DoesNotExist";
    const bool has_number = name == "Gt" || name == "Lt";
    const bool fits = (has_list && !values.empty()) || (has_none && values.empty()) ||
                      (has_number && values.size() == 1 && read_integer(values.front()));
    return fits && !check_qualified_name(requirement.key) &&
           std::all_of(values.begin(), values.end(), is_value);
}

bool matches_field(const NodeSelectorRequirement& field, std::string_view node_name) {
    if (field.key != "metadata.name" || field.values.size() != 1) {
        return false;
    }
    const bool same = field.values.front() == node_name;
    return field.operator_ == "In" ? same : field.operator_ == "NotIn" && !same;
}

}  // namespace

bool matches(const NodeSelectorRequirement& requirement, const StringMap& labels) {
    if (!is_valid(requirement)) {
        return false;
    }
    const auto label = labels.find(requirement.key);
    const bool exists = label != labels.end();
    const std::string& name = requirement.operator_;
    if (name == "Exists" || name == "DoesNotExist") {
        return exists == (name == "Exists");
    }
    if (!exists) {
        return name == "NotIn";
    }
    if (name == "In" || name == "NotIn") {
        return is_one_of(requirement.values, label->second) == (name == "In");
    }
    const auto value = read_integer(label->second);
    const auto bound = read_integer(requirement.values.front());
    return value && bound && (name == "Gt" ? *value > *bound : *value < *bound);
}

bool matches(const NodeSelector& selector, const StringMap& labels, std::string_view node_name) {
    const auto holds = [&](const NodeSelectorTerm& term) {
        const auto& expressions = term.match_expressions;
        const auto& fields = term.match_fields;
        const bool is_empty = expressions.empty() && fields.empty();
        return !is_empty &&
               std::all_of(
                   expressions.begin(),
                   expressions.end(),
                   [&](const auto& expression) { return matches(expression, labels); }
               ) &&
               std::all_of(fields.begin(), fields.end(), [&](const auto& field) {
                   return matches_field(field, node_name);
               });
    };
    const auto& terms = selector.node_selector_terms;
    return std::any_of(terms.begin(), terms.end(), holds);
}

bool matches_node(const PodSpec& pod, const StringMap& labels, std::string_view node_name) {
    for (const auto& [key, value] : pod.node_selector) {
        const auto label = labels.find(key);
        if (label == labels.end() || label->second != value) {
            return false;
        }
    }
    if (!pod.affinity || !pod.affinity->node_affinity) {
        return true;
    }
    const auto& required =
        pod.affinity->node_affinity->required_during_scheduling_ignored_during_execution;
    return !required || matches(*required, labels, node_name);
}

}  // namespace sluice::api
