#include "api/core/node_affinity.hpp"

#include "api/meta/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

namespace sluice::api {
namespace {

/// Parses an integer like strconv.ParseInt: a sign, leading zeros, 64 bits.
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

bool lists(const std::vector<std::string>& values, std::string_view value) {
    return std::find(values.begin(), values.end(), value) != values.end();
}

/// Returns a list as Go prints it in an error; an absent list is "null".
std::string list_text(const std::vector<std::string>& values) {
    if (values.empty()) {
        return "null";
    }
    std::string text;
    for (const auto& value : values) {
        text += fmt::format("{}\"{}\"", text.empty() ? "[" : ",", value);
    }
    return text + "]";
}

bool matches_field(const NodeSelectorRequirement& field, std::string_view node_name) {
    if (field.key != "metadata.name" || field.values.size() != 1) {
        return false;
    }
    const bool same = field.values.front() == node_name;
    return field.operator_ == "In" ? same : field.operator_ == "NotIn" && !same;
}

}  // namespace

std::vector<std::string> find_problems(
    const NodeSelectorRequirement& requirement, std::string_view path
) {
    const std::string& name = requirement.operator_;
    const auto& values = requirement.values;
    const bool has_list = name == "In" || name == "NotIn";
    const bool has_none = name == "Exists" || name == "DoesNotExist";
    const bool has_number = name == "Gt" || name == "Lt";
    if (!has_list && !has_none && !has_number) {
        return {fmt::format(
            "{}.operator: Unsupported value: \"{}\": supported values: \"In\", \"NotIn\", "
            "\"Exists\", \"DoesNotExist\", \"Gt\", \"Lt\"",
            path,
            name
        )};
    }
    std::vector<std::string> found;
    const auto add = [&](std::string_view field, std::string_view value, std::string_view what) {
        found.push_back(fmt::format("{}.{}: Invalid value: {}: {}", path, field, value, what));
    };
    if (const auto problem = check_qualified_name(requirement.key)) {
        add("key", fmt::format("\"{}\"", requirement.key), *problem);
    }
    if (has_list && values.empty()) {
        add("values", list_text(values), "for 'in', 'notin' operators, values set can't be empty");
    }
    if (has_none && !values.empty()) {
        add("values", list_text(values), "values set must be empty for exists and does not exist");
    }
    if (has_number && values.size() != 1) {
        add("values", list_text(values), "for 'Gt', 'Lt' operators, exactly one value is required");
    }
    const auto add_for_each = [&](auto check, bool with_key) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (const std::optional<std::string> problem = check(values[i])) {
                const std::string key = with_key ? fmt::format("[{}]", requirement.key) : "";
                add(fmt::format("values[{}]{}", i, key), fmt::format("\"{}\"", values[i]), *problem
                );
            }
        }
    };
    if (has_number) {
        const auto check = [](const std::string& value) {
            return read_integer(value) ? std::optional<std::string>()
                                       : "for 'Gt', 'Lt' operators, the value must be an integer";
        };
        add_for_each(check, false);
    }
    add_for_each([](const std::string& value) { return check_label_value(value); }, true);
    return found;
}

bool matches(const NodeSelectorRequirement& requirement, const StringMap& labels) {
    if (!find_problems(requirement, {}).empty()) {
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
        return lists(requirement.values, label->second) == (name == "In");
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

}  // namespace sluice::api
