#include "apiserver/rules/policy_validation.hpp"

#include "apiserver/objects/values.hpp"
#include "apiserver/rules/webhook_validation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <string_view>

namespace sluice::apiserver {

namespace {

using json::Value;

void check_group_version(Causes& causes, const std::string& path, std::string_view version) {
    if (version.empty()) {
        causes.push_back(api::FieldError::required(path));
    } else if (std::ranges::count(version, '/') > 1) {
        causes.push_back(api::FieldError::invalid(
            path, version, fmt::format("unexpected GroupVersion string: {}", version)
        ));
    }
}

void check_param_kind(Causes& causes, const Value& spec) {
    const Value* kind = spec.find("paramKind");
    if (kind == nullptr || !kind->is_object()) {
        return;
    }
    check_group_version(causes, "spec.paramKind.apiVersion", kind->string_at("apiVersion"));
    if (kind->string_at("kind").empty()) {
        causes.push_back(api::FieldError::required("spec.paramKind.kind"));
    }
}

void check_match_rules(Causes& causes, const std::string& path, const Value& match) {
    check_label_selector(causes, path + ".namespaceSelector", match.find("namespaceSelector"));
    check_label_selector(causes, path + ".objectSelector", match.find("objectSelector"));
    check_one_of(causes, path, match, "matchPolicy", {"Equivalent", "Exact"});
    for (const auto* list : {"resourceRules", "excludeResourceRules"}) {
        const std::string here = fmt::format("{}.{}", path, list);
        check_admission_rules(causes, here, match.find(list));
        const auto& rules = items_of(match.find(list));
        for (std::size_t i = 0; i < rules.size(); ++i) {
            std::set<std::string> names;
            const auto& listed = items_of(rules[i].find("resourceNames"));
            for (std::size_t j = 0; j < listed.size(); ++j) {
                const std::string name = listed[j].is_string() ? listed[j].as_string() : "";
                if (!names.insert(name).second) {
                    causes.push_back(api::FieldError::duplicate(
                        fmt::format("{}[{}].resourceNames[{}]", here, i, j), listed[j]
                    ));
                }
            }
        }
    }
}

void check_constraints(Causes& causes, const Value& spec) {
    const Value* match = spec.find("matchConstraints");
    if (match == nullptr || !match->is_object()) {
        causes.push_back(api::FieldError::required("spec.matchConstraints"));
        return;
    }
    if (items_of(match->find("resourceRules")).empty()) {
        causes.push_back(api::FieldError::required("spec.matchConstraints.resourceRules"));
    }
    check_match_rules(causes, "spec.matchConstraints", *match);
}

bool is_identifier(std::string_view name) {
    return std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
           std::ranges::all_of(name, [](unsigned char c) {
               return std::isalnum(c) != 0 || c == '_';
           });
}

void check_variables(Causes& causes, const Value& spec) {
    const auto& variables = items_of(spec.find("variables"));
    for (std::size_t i = 0; i < variables.size(); ++i) {
        const std::string field = fmt::format("spec.variables[{}].name", i);
        const std::string_view name = variables[i].string_at("name");
        if (name.empty()) {
            causes.push_back(api::FieldError::required(field, "name is not specified"));
        } else if (!is_identifier(name)) {
            causes.push_back(api::FieldError::invalid(field, name, "must be a valid CEL identifier")
            );
        }
    }
}

bool is_blank(std::string_view text) {
    return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

void check_validations(Causes& causes, const Value& spec) {
    const auto& validations = items_of(spec.find("validations"));
    if (validations.empty() && items_of(spec.find("auditAnnotations")).empty()) {
        constexpr std::string_view kOne =
            "validations or auditAnnotations must contain at least one item";
        causes.push_back(api::FieldError::required("spec.validations", kOne));
        causes.push_back(api::FieldError::required("spec.auditAnnotations", kOne));
    }
    for (std::size_t i = 0; i < validations.size(); ++i) {
        const std::string here = fmt::format("spec.validations[{}]", i);
        const Value* message = validations[i].find("message");
        if (message != nullptr && message->is_string() && !message->as_string().empty()) {
            const std::string& text = message->as_string();
            const std::size_t last = text.find_last_not_of(" \t\r\n");
            if (is_blank(text)) {
                causes.push_back(api::FieldError::invalid(
                    here + ".message", text, "must be non-empty if specified"
                ));
            } else if (text.find_first_of("\r\n", text.find_first_not_of(" \t\r\n")) < last) {
                causes.push_back(api::FieldError::invalid(
                    here + ".message", text, "must not contain line breaks"
                ));
            }
        }
        check_one_of(
            causes,
            here,
            validations[i],
            "reason",
            {"Forbidden", "Invalid", "RequestEntityTooLarge"}
        );
    }
}

/// Checks keys of audit annotations. Messages show a key with its policy's name as the prefix, as
/// audit logs record it.
void check_audit_annotations(Causes& causes, const Value& policy, const Value& spec) {
    std::set<std::string_view> keys;
    const auto name = text_at(policy, {"metadata", "name"});
    const auto& annotations = items_of(spec.find("auditAnnotations"));
    for (std::size_t i = 0; i < annotations.size(); ++i) {
        const std::string field = fmt::format("spec.auditAnnotations[{}].key", i);
        const std::string_view key = annotations[i].string_at("key");
        check_qualified_name(causes, field, fmt::format("{}/{}", name, key));
        if (!keys.insert(key).second) {
            causes.push_back(api::FieldError::duplicate(field, key));
        }
    }
}

void check_policy(Causes& causes, const Value& spec) {
    check_one_of(causes, "spec", spec, "failurePolicy", {"Fail", "Ignore"});
    check_param_kind(causes, spec);
    check_constraints(causes, spec);
    check_condition_names(causes, "spec.matchConditions", spec.find("matchConditions"));
    check_variables(causes, spec);
}

void check_param_ref(Causes& causes, const Value& spec) {
    const Value* reference = spec.find("paramRef");
    if (reference == nullptr || !reference->is_object()) {
        return;
    }
    const bool has_name = !reference->string_at("name").empty();
    const Value* selector = reference->find("selector");
    if (has_name && selector != nullptr) {
        constexpr std::string_view kExclusive = "name and selector are mutually exclusive";
        causes.push_back(api::FieldError::forbidden("spec.paramRef.name", kExclusive));
        causes.push_back(api::FieldError::forbidden("spec.paramRef.selector", kExclusive));
    } else if (!has_name && selector == nullptr) {
        causes.push_back(
            api::FieldError::required("spec.paramRef", "one of name or selector must be specified")
        );
    }
    check_label_selector(causes, "spec.paramRef.selector", selector);
    if (reference->string_at("parameterNotFoundAction").empty()) {
        causes.push_back(api::FieldError::required("spec.paramRef.parameterNotFoundAction"));
    }
    check_one_of(causes, "spec.paramRef", *reference, "parameterNotFoundAction", {"Deny", "Allow"});
}

void check_binding(Causes& causes, const Value& spec) {
    const std::string_view policy = spec.string_at("policyName");
    if (policy.empty()) {
        causes.push_back(api::FieldError::required("spec.policyName"));
    } else {
        check_subdomain(causes, "spec.policyName", policy);
    }
    check_param_ref(causes, spec);
    if (const Value* match = spec.find("matchResources"); match != nullptr && match->is_object()) {
        check_match_rules(causes, "spec.matchResources", *match);
    }
}

void check_actions(Causes& causes, const Value& spec) {
    static const std::vector<std::string> kActions{"Audit", "Deny", "Warn"};
    const std::string path = "spec.validationActions";
    const auto& actions = items_of(spec.find("validationActions"));
    if (actions.empty()) {
        causes.push_back(
            api::FieldError::required(path, "at least one validation action is required")
        );
        return;
    }
    std::set<std::string> seen;
    for (std::size_t i = 0; i < actions.size(); ++i) {
        const std::string action = actions[i].is_string() ? actions[i].as_string() : "";
        const std::string field = fmt::format("{}[{}]", path, i);
        if (std::ranges::find(kActions, action) == kActions.end()) {
            causes.push_back(api::FieldError::not_supported(field, actions[i], kActions));
        } else if (!seen.insert(action).second) {
            causes.push_back(api::FieldError::duplicate(field, actions[i]));
        }
    }
    if (seen.contains("Deny") && seen.contains("Warn")) {
        causes.push_back(api::FieldError::invalid(
            path,
            actions,
            "must not contain both Deny and Warn (repeating the same validation failure "
            "information in the API response and headers serves no purpose)"
        ));
    }
}

}  // namespace

void check_validating_policy(Causes& causes, const Value& policy) {
    const Value& spec = member_or_null(policy, "spec");
    check_policy(causes, spec);
    check_validations(causes, spec);
    check_audit_annotations(causes, policy, spec);
}

void check_mutating_policy(Causes& causes, const Value& policy) {
    check_policy(causes, member_or_null(policy, "spec"));
}

void check_validating_binding(Causes& causes, const Value& binding) {
    const Value& spec = member_or_null(binding, "spec");
    check_binding(causes, spec);
    check_actions(causes, spec);
}

void check_mutating_binding(Causes& causes, const Value& binding) {
    check_binding(causes, member_or_null(binding, "spec"));
}

}  // namespace sluice::apiserver
