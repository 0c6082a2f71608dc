#include "apiserver/objects/field_checks.hpp"

#include "api/meta/names.hpp"
#include "apiserver/objects/values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace sluice::apiserver {

using json::Value;

void add_problems(
    Causes& causes,
    const std::string& field,
    const Value& value,
    const std::vector<std::string>& problems
) {
    for (const auto& problem : problems) {
        causes.push_back(api::FieldError::invalid(field, value, problem));
    }
}

void check_label(Causes& causes, const std::string& field, std::string_view text) {
    if (const auto problem = api::check_dns1123_label(text)) {
        causes.push_back(api::FieldError::invalid(field, text, *problem));
    }
}

void check_subdomain(Causes& causes, const std::string& field, std::string_view text) {
    add_problems(causes, field, text, api::find_dns1123_subdomain_problems(text));
}

void check_dns1035_label(Causes& causes, const std::string& field, std::string_view text) {
    add_problems(causes, field, text, api::find_dns1035_label_problems(text));
}

void check_kind_name(Causes& causes, const std::string& field, std::string_view text) {
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    const auto problems = api::find_dns1035_label_problems(lower);
    if (!problems.empty()) {
        causes.push_back(api::FieldError::invalid(
            field,
            text,
            fmt::format(
                "may have mixed case, but should otherwise match: {}", fmt::join(problems, ",")
            )
        ));
    }
}

void check_qualified_name(Causes& causes, const std::string& field, std::string_view text) {
    add_problems(causes, field, text, api::find_qualified_name_problems(text));
}

void check_labels(Causes& causes, const std::string& field, const Value* labels) {
    for (const auto& [name, value] : members_of(labels)) {
        check_qualified_name(causes, field, name);
        if (value.is_string()) {
            add_problems(causes, field, value, api::find_label_value_problems(value.as_string()));
        }
    }
}

namespace {

void check_requirement(
    Causes& causes, const std::string& path, const Value& requirement, Requirements kind
) {
    const std::string_view operation = requirement.string_at("operator");
    const auto& values = items_of(requirement.find("values"));
    const bool compares = operation == "Gt" || operation == "Lt";
    if (operation == "In" || operation == "NotIn") {
        if (values.empty()) {
            causes.push_back(api::FieldError::required(
                path + ".values", "must be specified when `operator` is 'In' or 'NotIn'"
            ));
        }
    } else if (operation == "Exists" || operation == "DoesNotExist") {
        if (!values.empty()) {
            causes.push_back(api::FieldError::forbidden(
                path + ".values",
                "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            ));
        }
    } else if (compares && kind != Requirements::OfObjects) {
        if (values.size() != 1) {
            causes.push_back(api::FieldError::required(
                path + ".values", "must be specified single value when `operator` is 'Lt' or 'Gt'"
            ));
        }
    } else {
        causes.push_back(
            api::FieldError::invalid(path + ".operator", operation, "not a valid selector operator")
        );
    }
    check_qualified_name(causes, path + ".key", requirement.string_at("key"));
    if (kind == Requirements::PreferredOfNodes) {
        return;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i].is_string()) {
            add_problems(
                causes,
                fmt::format("{}.values[{}]", path, i),
                values[i],
                api::find_label_value_problems(values[i].as_string())
            );
        }
    }
}

}  // namespace

void check_requirements(
    Causes& causes, const std::string& field, const Value* requirements, Requirements kind
) {
    const auto& items = items_of(requirements);
    for (std::size_t i = 0; i < items.size(); ++i) {
        check_requirement(causes, fmt::format("{}[{}]", field, i), items[i], kind);
    }
}

void check_label_selector(Causes& causes, const std::string& field, const Value* selector) {
    if (selector == nullptr || !selector->is_object()) {
        return;
    }
    check_labels(causes, field + ".matchLabels", selector->find("matchLabels"));
    check_requirements(
        causes,
        field + ".matchExpressions",
        selector->find("matchExpressions"),
        Requirements::OfObjects
    );
}

void check_not_negative(
    Causes& causes, const std::string& path, const Value& object, std::string_view name
) {
    const Value* number = object.find(name);
    if (number != nullptr && number->is_int() && number->as_int() < 0) {
        causes.push_back(api::FieldError::invalid(
            path + "." + std::string(name), *number, "must be greater than or equal to 0"
        ));
    }
}

void check_one_of(
    Causes& causes,
    const std::string& path,
    const Value& object,
    std::string_view name,
    std::initializer_list<const char*> supported
) {
    const auto text = object.string_at(name);
    const bool is_supported =
        text.empty() || std::any_of(supported.begin(), supported.end(), [&](const char* one) {
            return text == one;
        });
    if (!is_supported) {
        causes.push_back(api::FieldError::not_supported(
            path + "." + std::string(name), text, {supported.begin(), supported.end()}
        ));
    }
}

std::vector<std::string> find_port_name_problems(std::string_view name) {
    std::vector<std::string> problems;
    const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (name.size() > 15) {
        problems.emplace_back("must be no more than 15 characters");
    }
    if (!std::all_of(name.begin(), name.end(), [&](char c) {
            return is_lower(c) || is_digit(c) || c == '-';
        })) {
        problems.emplace_back(
            "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"
        );
    }
    if (!std::any_of(name.begin(), name.end(), is_lower)) {
        problems.emplace_back("must contain at least one letter (a-z)");
    }
    if (name.find("--") != std::string_view::npos) {
        problems.emplace_back("must not contain consecutive hyphens");
    }
    if (!name.empty() && (name.front() == '-' || name.back() == '-')) {
        problems.emplace_back("must not begin or end with a hyphen");
    }
    return problems;
}

void check_port(Causes& causes, const std::string& field, std::int64_t port) {
    if (port < 1 || port > 65535) {
        causes.push_back(
            api::FieldError::invalid(field, port, "must be between 1 and 65535, inclusive")
        );
    }
}

void check_unchanged(
    Causes& causes,
    const std::string& path,
    const Value& object,
    const Value& old_object,
    std::string_view name
) {
    const Value& now = member_or_null(object, name);
    if (!(now == member_or_null(old_object, name))) {
        const auto field = path.empty() ? std::string(name) : path + "." + std::string(name);
        causes.push_back(api::FieldError::invalid(field, now, "field is immutable"));
    }
}

namespace {

bool is_met(const Value& requirement, const Value* labels) {
    const Value* label = labels == nullptr ? nullptr : labels->find(requirement.string_at("key"));
    const auto operation = requirement.string_at("operator");
    const auto& values = items_of(requirement.find("values"));
    const bool is_in =
        label != nullptr && std::find(values.begin(), values.end(), *label) != values.end();
    if (operation == "In") {
        return is_in;
    }
    if (operation == "NotIn") {
        return !is_in;
    }
    return (operation == "Exists") == (label != nullptr);
}

}  // namespace

void drop_known(Causes& causes, const Causes& known) {
    std::erase_if(causes, [&known](const Cause& cause) {
        return std::ranges::find(known, cause) != known.end();
    });
}

bool selects(const Value* selector, const Value* labels) {
    if (selector == nullptr || !selector->is_object()) {
        return false;
    }
    for (const auto& [name, value] : members_of(selector->find("matchLabels"))) {
        const Value* label = labels == nullptr ? nullptr : labels->find(name);
        if (label == nullptr || !(*label == value)) {
            return false;
        }
    }
    const auto& requirements = items_of(selector->find("matchExpressions"));
    return std::all_of(requirements.begin(), requirements.end(), [&](const Value& requirement) {
        return is_met(requirement, labels);
    });
}

const Value& member_or_null(const Value& object, std::string_view name) {
    static const Value kNull;
    const Value* found = object.find(name);
    return found == nullptr ? kNull : *found;
}

}  // namespace sluice::apiserver
