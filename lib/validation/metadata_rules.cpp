#include "validation/metadata_rules.hpp"

#include "api/kueue/kueue_names.hpp"
#include "api/meta/names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <set>

namespace sluice::validation {

namespace {

constexpr std::size_t kAnnotationBytesMax = std::size_t{256} * 1024;
constexpr std::size_t kReasonBytesMax = 1024;
constexpr std::size_t kMessageBytesMax = std::size_t{32} * 1024;

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_word(char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_';
}

bool is_condition_reason(std::string_view text) {
    return is_letter(text.front()) && is_word(text.back()) &&
           std::ranges::all_of(text, [](char c) { return is_word(c) || c == ',' || c == ':'; });
}

api::FieldErrors validate_requirement(
    const api::LabelSelectorRequirement& requirement, const std::string& path
) {
    api::FieldErrors errors;
    const std::string& operation = requirement.operator_;
    if (operation == "In" || operation == "NotIn") {
        if (requirement.values.empty()) {
            errors.push_back(api::FieldError::required(
                path + ".values", "must be specified when `operator` is 'In' or 'NotIn'"
            ));
        }
    } else if (operation == "Exists" || operation == "DoesNotExist") {
        if (!requirement.values.empty()) {
            errors.push_back(api::FieldError::forbidden(
                path + ".values",
                "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            ));
        }
    } else {
        errors.push_back(
            api::FieldError::invalid(path + ".operator", operation, "not a valid selector operator")
        );
    }
    append(errors, validate_label_name(requirement.key, path + ".key"));
    for (std::size_t i = 0; i < requirement.values.size(); ++i) {
        for (const auto& problem : api::find_label_value_problems(requirement.values[i])) {
            errors.push_back(api::FieldError::invalid(
                fmt::format("{}.values[{}]", path, i), requirement.values[i], problem
            ));
        }
    }
    return errors;
}

api::FieldErrors validate_condition(const api::Condition& condition, const std::string& path) {
    api::FieldErrors errors = validate_label_name(condition.type_, path + ".type");
    if (condition.status != api::condition_status::kTrue &&
        condition.status != api::condition_status::kFalse && condition.status != "Unknown") {
        errors.push_back(api::FieldError::not_supported(
            path + ".status", condition.status, {"False", "True", "Unknown"}
        ));
    }
    if (condition.observed_generation < 0) {
        errors.push_back(api::FieldError::invalid(
            path + ".observedGeneration",
            condition.observed_generation,
            "must be greater than or equal to zero"
        ));
    }
    if (!condition.last_transition_time) {
        errors.push_back(api::FieldError::required(path + ".lastTransitionTime", ""));
    }
    if (condition.reason.empty()) {
        errors.push_back(api::FieldError::required(path + ".reason", ""));
    } else if (!is_condition_reason(condition.reason)) {
        errors.push_back(api::FieldError::invalid(
            path + ".reason",
            condition.reason,
            api::pattern_problem(
                "a condition reason must start with alphabetic character, optionally followed by a "
                "string of alphanumeric characters or '_,:', and must end with an alphanumeric "
                "character or '_'",
                "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?",
                {"my_name", "MY_NAME", "MyName", "ReasonA,ReasonB", "ReasonA:ReasonB"}
            )
        ));
    }
    if (condition.reason.size() > kReasonBytesMax) {
        errors.push_back(api::FieldError::too_long(path + ".reason", kReasonBytesMax));
    }
    if (condition.message.size() > kMessageBytesMax) {
        errors.push_back(api::FieldError::too_long(path + ".message", kMessageBytesMax));
    }
    return errors;
}

}  // namespace

api::FieldErrors validate_label_name(std::string_view name, const std::string& path) {
    api::FieldErrors errors;
    for (const auto& problem : api::find_qualified_name_problems(name)) {
        errors.push_back(api::FieldError::invalid(path, name, problem));
    }
    return errors;
}

api::FieldErrors validate_labels(const api::StringMap& labels, const std::string& path) {
    api::FieldErrors errors;
    for (const auto& [key, value] : labels) {
        append(errors, validate_label_name(key, path));
        for (const auto& problem : api::find_label_value_problems(value)) {
            errors.push_back(api::FieldError::invalid(path, value, problem));
        }
    }
    return errors;
}

api::FieldErrors validate_annotations(const api::StringMap& annotations, const std::string& path) {
    api::FieldErrors errors;
    std::size_t bytes = 0;
    for (const auto& [key, value] : annotations) {
        bytes += key.size() + value.size();
        std::string lower(key);
        std::ranges::transform(lower, lower.begin(), [](unsigned char c) {
            return static_cast<char>(std::tolower(c));
        });
        for (const auto& problem : api::find_qualified_name_problems(lower)) {
            errors.push_back(api::FieldError::invalid(path, key, problem));
        }
    }
    if (bytes > kAnnotationBytesMax) {
        errors.push_back(api::FieldError::too_long(path, kAnnotationBytesMax));
    }
    return errors;
}

api::FieldErrors validate_label_selector(
    const api::LabelSelector& selector, const std::string& path
) {
    api::FieldErrors errors = validate_labels(selector.match_labels, path + ".matchLabels");
    for (std::size_t i = 0; i < selector.match_expressions.size(); ++i) {
        append(
            errors,
            validate_requirement(
                selector.match_expressions[i], fmt::format("{}.matchExpressions[{}]", path, i)
            )
        );
    }
    return errors;
}

api::FieldErrors validate_conditions(
    const std::vector<api::Condition>& conditions, const std::string& path
) {
    api::FieldErrors errors;
    std::set<std::string_view> types;
    for (std::size_t i = 0; i < conditions.size(); ++i) {
        const std::string at = fmt::format("{}[{}]", path, i);
        if (!types.insert(conditions[i].type_).second) {
            errors.push_back(api::FieldError::duplicate(at + ".type", conditions[i].type_));
        }
        append(errors, validate_condition(conditions[i], at));
    }
    return errors;
}

api::FieldErrors validate_subdomain(std::string_view name, const std::string& path) {
    const auto problems = api::find_dns1123_subdomain_problems(name);
    if (problems.empty()) {
        return {};
    }
    return {api::FieldError::invalid(path, name, fmt::format("{}", fmt::join(problems, ",")))};
}

}  // namespace sluice::validation
