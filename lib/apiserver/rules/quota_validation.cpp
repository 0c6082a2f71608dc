#include "apiserver/rules/quota_validation.hpp"

#include "api/meta/quantity.hpp"
#include "apiserver/objects/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

namespace sluice::apiserver {

namespace {

using json::Value;

constexpr std::array<std::string_view, 9> kCounted{
    "configmaps",
    "persistentvolumeclaims",
    "pods",
    "replicationcontrollers",
    "resourcequotas",
    "secrets",
    "services",
    "services.loadbalancers",
    "services.nodeports",
};
/// Compute resources of pods, to which scopes apply.
constexpr std::array<std::string_view, 6> kComputed{
    "cpu", "limits.cpu", "limits.memory", "memory", "requests.cpu", "requests.memory"
};
constexpr std::array<std::string_view, 5> kStored{
    "ephemeral-storage",
    "limits.ephemeral-storage",
    "requests.ephemeral-storage",
    "requests.storage",
    "storage",
};

bool is_among(std::string_view name, const auto& names) {
    return std::ranges::find(names, name) != std::end(names);
}

bool is_huge_page(std::string_view name) {
    return name.starts_with("hugepages-") || name.starts_with("requests.hugepages-");
}

bool is_quota_resource(std::string_view name) {
    return is_among(name, kCounted) || is_among(name, kComputed) ||
           (is_among(name, kStored) && name != "storage") || is_huge_page(name);
}

void check_limit(
    Causes& causes, const std::string& path, const std::string& name, const Value& limit
) {
    const std::size_t known = causes.size();
    check_qualified_name(causes, path, name);
    const bool is_plain = name.find('/') == std::string::npos;
    if (causes.size() == known && is_plain && !is_quota_resource(name) && name != "storage") {
        causes.push_back(api::FieldError::invalid(
            path, name, "must be a standard resource type or fully qualified"
        ));
    }
    if (is_plain && !is_quota_resource(name)) {
        causes.push_back(
            api::FieldError::invalid(path, name, "must be a standard resource for quota")
        );
    }
    const auto amount =
        api::Quantity::parse(limit.is_string() ? limit.as_string() : json::print(limit));
    if (amount && amount->sign() < 0) {
        causes.push_back(api::FieldError::invalid(path, limit, "must be greater than or equal to 0")
        );
    }
    const bool is_whole = is_among(name, kCounted) ||
                          (!is_plain && name.find("kubernetes.io/") == std::string::npos &&
                           !name.starts_with("requests."));
    if (amount && is_whole && amount->billionths() % 1'000'000'000 != 0) {
        causes.push_back(api::FieldError::invalid(path, limit, "must be an integer"));
    }
}

bool is_scope(std::string_view scope) {
    constexpr std::array<std::string_view, 7> kScopes{
        "BestEffort",
        "CrossNamespacePodAffinity",
        "NotBestEffort",
        "NotTerminating",
        "PriorityClass",
        "Terminating",
        "VolumeAttributesClass",
    };
    return is_among(scope, kScopes);
}

/// Returns true if the scope applies to the resource; also for an unknown scope.
bool has_scope(std::string_view resource, std::string_view scope) {
    if (scope == "BestEffort") {
        return resource == "pods";
    }
    if (scope == "VolumeAttributesClass") {
        return resource == "persistentvolumeclaims" || resource == "requests.storage";
    }
    return !is_scope(scope) || resource == "pods" || is_among(resource, kComputed);
}

void check_scoped_limits(
    Causes& causes,
    const std::string& path,
    const Value& shown,
    std::string_view scope,
    const Value& spec
) {
    std::set<std::string_view> limited;
    for (const auto& [name, limit] : members_of(spec.find("hard"))) {
        limited.insert(name);
    }
    for (const std::string_view name : limited) {
        if (is_quota_resource(name) && !has_scope(name, scope)) {
            constexpr std::string_view kDetail = "unsupported scope applied to resource";
            causes.push_back(api::FieldError::invalid(path, shown, kDetail));
            causes.back().message =
                fmt::format("Invalid value: {}: {}", json::print(shown), kDetail);
        }
    }
}

void check_conflicts(
    Causes& causes,
    const std::string& path,
    const Value& shown,
    const std::set<std::string_view>& scopes
) {
    for (const auto& [one, other] :
         {std::pair("BestEffort", "NotBestEffort"), std::pair("Terminating", "NotTerminating")}) {
        if (scopes.contains(one) && scopes.contains(other)) {
            causes.push_back(api::FieldError::invalid(path, shown, "conflicting scopes"));
        }
    }
}

void check_scopes(Causes& causes, const Value& spec) {
    const Value& scopes = member_or_null(spec, "scopes");
    std::set<std::string_view> seen;
    for (const Value& scope : items_of(&scopes)) {
        const std::string_view name = scope.is_string() ? std::string_view(scope.as_string()) : "";
        if (!is_scope(name)) {
            causes.push_back(api::FieldError::invalid("spec.scopes", scopes, "unsupported scope"));
        }
        check_scoped_limits(causes, "spec.scopes", scopes, name, spec);
        seen.insert(name);
    }
    check_conflicts(causes, "spec.scopes", scopes, seen);
}

void check_operator(Causes& causes, const std::string& path, const Value& expression) {
    const std::string_view scope = expression.string_at("scopeName");
    const std::string_view asks = expression.string_at("operator");
    const bool is_plain =
        is_scope(scope) && scope != "PriorityClass" && scope != "VolumeAttributesClass";
    if (is_plain && asks != "Exists") {
        causes.push_back(api::FieldError::invalid(
            path + ".operator",
            asks,
            "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, "
            "ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, "
            "ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"
        ));
    }
    const Value& values = member_or_null(expression, "values");
    const bool has_values = !items_of(&values).empty();
    if (asks == "In" || asks == "NotIn") {
        if (!has_values) {
            causes.push_back(api::FieldError::required(
                path + ".values",
                "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
            ));
        }
    } else if (asks == "Exists" || asks == "DoesNotExist") {
        if (has_values) {
            causes.push_back(api::FieldError::invalid(
                path + ".values",
                values,
                "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
            ));
        }
    } else {
        causes.push_back(
            api::FieldError::invalid(path + ".operator", asks, "not a valid selector operator")
        );
    }
}

/// Prints the selector in the form of the API server's internal struct.
Value print_selector(const Value& selector) {
    json::Array expressions;
    for (const Value& each : items_of(selector.find("matchExpressions"))) {
        expressions.emplace_back(json::Object{
            {"ScopeName", each.string_at("scopeName")},
            {"Operator", each.string_at("operator")},
            {"Values", member_or_null(each, "values")}
        });
    }
    return json::Object{{"MatchExpressions", std::move(expressions)}};
}

void check_scope_selector(Causes& causes, const Value& spec) {
    const Value* selector = spec.find("scopeSelector");
    if (selector == nullptr || !selector->is_object()) {
        return;
    }
    const std::string path = "spec.scopeSelector.matchExpressions";
    std::set<std::string_view> seen;
    const Value shown = print_selector(*selector);
    for (const Value& expression : items_of(selector->find("matchExpressions"))) {
        const std::string_view scope = expression.string_at("scopeName");
        if (!is_scope(scope)) {
            causes.push_back(
                api::FieldError::invalid(path + ".scopeName", scope, "unsupported scope")
            );
        }
        check_scoped_limits(causes, path, shown, scope, spec);
        check_operator(causes, path, expression);
        seen.insert(scope);
    }
    check_conflicts(causes, path, member_or_null(spec, "scopes"), seen);
}

}  // namespace

void check_resource_quota(Causes& causes, const Value& quota) {
    const Value& spec = member_or_null(quota, "spec");
    for (const auto& [name, limit] : members_of(spec.find("hard"))) {
        check_limit(causes, fmt::format("spec.hard[{}]", name), name, limit);
    }
    check_scopes(causes, spec);
    check_scope_selector(causes, spec);
}

void check_resource_quota_update(Causes& causes, const Value& quota, const Value& old_quota) {
    const auto scopes_of = [](const Value& object) {
        const Value& spec = member_or_null(object, "spec");
        std::set<std::string> scopes;
        for (const std::string& scope : texts_of(spec.find("scopes"))) {
            scopes.insert(scope);
        }
        return scopes;
    };
    if (scopes_of(quota) != scopes_of(old_quota)) {
        causes.push_back(api::FieldError::invalid(
            "spec.scopes",
            member_or_null(member_or_null(quota, "spec"), "scopes"),
            "field is immutable"
        ));
    }
}

}  // namespace sluice::apiserver
