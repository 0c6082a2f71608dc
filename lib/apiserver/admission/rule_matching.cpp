#include "apiserver/admission/rule_matching.hpp"

#include "apiserver/objects/field_checks.hpp"
#include "apiserver/objects/values.hpp"

#include <algorithm>
#include <string>

namespace sluice::apiserver {

namespace {

bool is_or_all(std::string_view pattern, std::string_view text) {
    return pattern == "*" || pattern == text;
}

/// Returns true if the rule names the resource. `*` alone does not include subresources.
bool names_resource(
    const json::Value& rule, std::string_view plural, std::string_view subresource
) {
    return std::ranges::any_of(items_of(rule.find("resources")), [&](const json::Value& value) {
        const std::string_view pattern = value.is_string() ? value.as_string() : std::string_view();
        const std::size_t slash = pattern.find('/');
        const bool has_part = slash != std::string_view::npos;
        return is_or_all(pattern.substr(0, slash), plural) &&
               is_or_all(has_part ? pattern.substr(slash + 1) : std::string_view(), subresource);
    });
}

bool fits_rule_scope(const json::Value& rule, const ResourceType& type) {
    const std::string_view scope = rule.string_at("scope");
    return scope.empty() || scope == "*" || (scope == "Namespaced") == type.is_namespaced;
}

bool names_object(const json::Value& rule, std::string_view name) {
    const auto& names = items_of(rule.find("resourceNames"));
    return names.empty() || std::ranges::find(names, json::Value(name)) != names.end();
}

bool has_subresource(const ResourceType& type, std::string_view subresource) {
    return subresource.empty() ||
           std::ranges::any_of(type.subresources, [subresource](const Subresource& each) {
               return each.name == subresource;
           });
}

/// Returns true if the rule matches the request in the version of that type.
bool fits_rule(const json::Value& rule, const ResourceType& type, const RuledRequest& request) {
    return has_any(rule, "operations", request.operation) &&
           has_any(rule, "apiGroups", type.group) && has_any(rule, "apiVersions", type.version) &&
           names_resource(rule, type.plural, request.route.subresource) &&
           fits_rule_scope(rule, type) && names_object(rule, request.name);
}

}  // namespace

bool has_any(const json::Value& rule, std::string_view list, std::string_view text) {
    return std::ranges::any_of(items_of(rule.find(list)), [text](const json::Value& value) {
        return value.is_string() && is_or_all(value.as_string(), text);
    });
}

ResourceTable::TypePointer match_rules(
    const ResourceTable& types,
    const json::Value* rules,
    std::string_view match_policy,
    const RuledRequest& request
) {
    const auto& all = items_of(rules);
    const auto names_own = [&](const json::Value& rule) {
        return fits_rule(rule, *request.route.type, request);
    };
    if (std::ranges::any_of(all, names_own)) {
        return request.route.type;
    }
    if (match_policy == "Exact") {
        return nullptr;
    }
    const auto others = types.equivalents(*request.route.type);
    for (const json::Value& rule : all) {
        for (const auto& other : others) {
            if (has_subresource(*other, request.route.subresource) &&
                fits_rule(rule, *other, request)) {
                return other;
            }
        }
    }
    return nullptr;
}

bool is_namespace(const ResourceType& type) {
    return type.group.empty() && type.kind == "Namespace";
}

bool selects_labels(const json::Value* selector, const json::Value* labels) {
    if (selector == nullptr || !selector->is_object() || selector->as_object().empty()) {
        return true;
    }
    return selects(selector, labels);
}

}  // namespace sluice::apiserver
