#include "api/meta/label_selector.hpp"

#include "api/meta/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sluice::api {

Result<Selector::Requirement> Selector::make_requirement(const LabelSelectorRequirement& expression
) {
    Requirement requirement{expression.key, Operator::In, expression.values};
    if (const auto problem = check_qualified_name(expression.key)) {
        return make_invalid(fmt::format("key: '{}' {}", expression.key, *problem));
    }
    const std::string& name = expression.operator_;
    if (name == "NotIn") {
        requirement.operation = Operator::NotIn;
    } else if (name == "Exists") {
        requirement.operation = Operator::Exists;
    } else if (name == "DoesNotExist") {
        requirement.operation = Operator::DoesNotExist;
    } else if (name != "In") {
        return make_invalid(
            fmt::format("operator: '{}' is not one of In, NotIn, Exists, DoesNotExist", name)
        );
    }
    const bool takes_values = name == "In" || name == "NotIn";
    if (takes_values == expression.values.empty()) {
        return make_invalid(fmt::format(
            "values: must{} be empty with operator {}", takes_values ? " not" : "", name
        ));
    }
    for (std::size_t i = 0; i < expression.values.size(); ++i) {
        if (const auto problem = check_label_value(expression.values[i])) {
            return make_invalid(
                fmt::format("values[{}]: '{}' {}", i, expression.values[i], *problem)
            );
        }
    }
    return requirement;
}

Result<Selector> Selector::make(const LabelSelector& selector) {
    Selector made;
    for (const auto& [key, value] : selector.match_labels) {
        auto requirement = make_requirement({.key = key, .operator_ = "In", .values = {value}});
        if (!requirement) {
            return with_context(requirement.error(), fmt::format("matchLabels[{}]", key));
        }
        made.requirements_.push_back(std::move(*requirement));
    }
    for (std::size_t i = 0; i < selector.match_expressions.size(); ++i) {
        auto requirement = make_requirement(selector.match_expressions[i]);
        if (!requirement) {
            auto error = requirement.error();
            error.detail = fmt::format("matchExpressions[{}].{}", i, error.detail);
            return error;
        }
        made.requirements_.push_back(std::move(*requirement));
    }
    return made;
}

bool Selector::is_met(const Requirement& requirement, const StringMap& labels) {
    const auto label = labels.find(requirement.key);
    const bool exists = label != labels.end();
    const auto is_listed = [&] {
        return std::find(requirement.values.begin(), requirement.values.end(), label->second) !=
               requirement.values.end();
    };
    switch (requirement.operation) {
        case Operator::In:
            return exists && is_listed();
        case Operator::NotIn:
            return !exists || !is_listed();
        case Operator::Exists:
            return exists;
        case Operator::DoesNotExist:
            return !exists;
    }
    return false;
}

bool Selector::matches(const StringMap& labels) const {
    return std::all_of(requirements_.begin(), requirements_.end(), [&](const auto& requirement) {
        return is_met(requirement, labels);
    });
}

bool matches(const LabelSelector& selector, const StringMap& labels) {
    const auto made = Selector::make(selector);
    return made && made->matches(labels);
}

}  // namespace sluice::api
