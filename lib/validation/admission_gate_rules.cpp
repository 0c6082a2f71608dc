#include "validation/admission_gate_rules.hpp"

#include "api/kueue/kueue_names.hpp"
#include "api/meta/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::validation {

namespace {

constexpr std::size_t kNameBytesMax = 63;
constexpr std::string_view kBlanks = " \t\r\n\v\f";
constexpr std::string_view kPathCharacters = "/-._~%!$&'()*+,;=:";

std::string path() {
    return fmt::format("metadata.annotations[{}]", api::annotation::kAdmissionGatedBy);
}

std::string_view value_of(const api::ObjectMeta& object) {
    const std::string* value = object.find_annotation(api::annotation::kAdmissionGatedBy);
    return value == nullptr ? std::string_view() : std::string_view(*value);
}

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::vector<std::string_view> split(std::string_view text) {
    std::vector<std::string_view> parts;
    if (trimmed(text).empty()) {
        return parts;
    }
    for (;;) {
        const auto comma = text.find(',');
        parts.push_back(trimmed(text.substr(0, comma)));
        if (comma == std::string_view::npos) {
            return parts;
        }
        text.remove_prefix(comma + 1);
    }
}

bool is_http_path(std::string_view text) {
    return std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               kPathCharacters.find(c) != std::string_view::npos;
    });
}

/// Checks a DNS subdomain, '/' and a path, like spec.managedBy of Jobs.
api::FieldErrors validate_domain_prefixed_path(std::string_view name) {
    const auto slash = name.find('/');
    if (slash == std::string_view::npos || slash == 0 || slash + 1 == name.size()) {
        return {api::FieldError::invalid(
            path(), name, "must be a domain-prefixed path (such as \"acme.io/foo\")"
        )};
    }
    api::FieldErrors errors;
    for (const auto& problem : api::find_dns1123_subdomain_problems(name.substr(0, slash))) {
        errors.push_back(api::FieldError::invalid(path(), name.substr(0, slash), problem));
    }
    if (!is_http_path(name.substr(slash + 1))) {
        errors.push_back(api::FieldError::invalid(
            path(),
            name.substr(slash + 1),
            api::pattern_problem("Invalid path", "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+", {})
        ));
    }
    return errors;
}

}  // namespace

api::FieldErrors validate_admission_gates(const api::ObjectMeta& object) {
    const std::string_view value = value_of(object);
    api::FieldErrors errors;
    std::set<std::string_view> seen;
    for (const std::string_view gate : split(value)) {
        if (gate.empty()) {
            errors.push_back(
                api::FieldError::invalid(path(), value, "cannot contain empty gate names")
            );
            continue;
        }
        if (!seen.insert(gate).second) {
            errors.push_back(api::FieldError::invalid(
                path(), value, fmt::format("duplicate gate name: {}", gate)
            ));
            continue;
        }
        append(errors, validate_domain_prefixed_path(gate));
        if (gate.size() > kNameBytesMax) {
            errors.push_back(api::FieldError::too_long(path(), kNameBytesMax));
        }
    }
    return errors;
}

api::FieldErrors validate_admission_gates_update(
    const api::ObjectMeta& before, const api::ObjectMeta& after
) {
    api::FieldErrors errors;
    const std::string_view old_value = value_of(before);
    const std::string_view new_value = value_of(after);
    if (old_value.empty() && !new_value.empty()) {
        errors.push_back(
            api::FieldError::forbidden(path(), "cannot add admission gate after creation")
        );
    } else if (!old_value.empty()) {
        const auto old_gates = split(old_value);
        const auto new_gates = split(new_value);
        const bool has_more = std::ranges::any_of(new_gates, [&](std::string_view gate) {
            return std::ranges::find(old_gates, gate) == old_gates.end();
        });
        if (has_more) {
            errors.push_back(
                api::FieldError::forbidden(path(), "can only remove gates, not add new ones")
            );
        }
    }
    append(errors, validate_admission_gates(after));
    return errors;
}

}  // namespace sluice::validation
