#include "apiserver/rules/placement_validation.hpp"

#include "apiserver/objects/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace sluice::apiserver {

namespace {

using json::Value;

constexpr const char* kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr const char* kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

std::string element(std::string_view path, std::size_t place) {
    return fmt::format("{}[{}]", path, place);
}

/// Checks the preferred terms of an affinity and their weights.
void check_preferences(
    Causes& causes,
    const std::string& path,
    const Value& affinity,
    const std::string& part,
    const std::function<void(const std::string& path, const Value& term)>& check_term
) {
    const std::string list = fmt::format("{}.{}", path, kPreferred);
    const auto& preferences = items_of(affinity.find(kPreferred));
    for (std::size_t i = 0; i < preferences.size(); ++i) {
        const std::string here = element(list, i);
        const std::int64_t weight = int_at(preferences[i], "weight", 0);
        if (weight < 1 || weight > 100) {
            causes.push_back(
                api::FieldError::invalid(here + ".weight", weight, "must be in the range 1-100")
            );
        }
        check_term(fmt::format("{}.{}", here, part), member_or_null(preferences[i], part));
    }
}

void check_node_field(Causes& causes, const std::string& path, const Value& requirement) {
    const std::string_view operation = requirement.string_at("operator");
    const auto& values = items_of(requirement.find("values"));
    if (operation != "In" && operation != "NotIn") {
        causes.push_back(
            api::FieldError::invalid(path + ".operator", operation, "not a valid selector operator")
        );
    } else if (values.size() != 1) {
        causes.push_back(api::FieldError::required(
            path + ".values",
            "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
        ));
    }
    const std::string_view key = requirement.string_at("key");
    if (key != "metadata.name") {
        causes.push_back(
            api::FieldError::invalid(path + ".key", key, "not a valid field selector key")
        );
        return;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i].is_string()) {
            check_subdomain(causes, element(path + ".values", i), values[i].as_string());
        }
    }
}

void check_node_term(
    Causes& causes, const std::string& path, const Value& term, Requirements kind
) {
    check_requirements(causes, path + ".matchExpressions", term.find("matchExpressions"), kind);
    const auto& fields = items_of(term.find("matchFields"));
    for (std::size_t i = 0; i < fields.size(); ++i) {
        check_node_field(causes, element(path + ".matchFields", i), fields[i]);
    }
}

void check_node_affinity(Causes& causes, const std::string& path, const Value& affinity) {
    if (const Value* required = affinity.find(kRequired);
        required != nullptr && required->is_object()) {
        const std::string list = fmt::format("{}.{}.nodeSelectorTerms", path, kRequired);
        const auto& terms = items_of(required->find("nodeSelectorTerms"));
        if (terms.empty()) {
            causes.push_back(
                api::FieldError::required(list, "must have at least one node selector term")
            );
        }
        for (std::size_t i = 0; i < terms.size(); ++i) {
            check_node_term(causes, element(list, i), terms[i], Requirements::OfNodes);
        }
    }
    check_preferences(
        causes,
        path,
        affinity,
        "preference",
        [&causes](const std::string& here, const Value& term) {
            check_node_term(causes, here, term, Requirements::PreferredOfNodes);
        }
    );
}

void check_label_keys(
    Causes& causes, const std::string& path, const Value& term, std::string_view list
) {
    if (!items_of(term.find(list)).empty() && term.find("labelSelector") == nullptr) {
        causes.push_back(api::FieldError::forbidden(
            fmt::format("{}.{}", path, list), "must not be specified when labelSelector is not set"
        ));
    }
}

void check_pod_term(Causes& causes, const std::string& path, const Value& term) {
    check_label_selector(causes, path + ".labelSelector", term.find("labelSelector"));
    check_label_selector(causes, path + ".namespaceSelector", term.find("namespaceSelector"));
    for (const Value& ns : items_of(term.find("namespaces"))) {
        check_label(causes, path + ".namespace", ns.is_string() ? ns.as_string() : "");
    }
    check_label_keys(causes, path, term, "matchLabelKeys");
    check_label_keys(causes, path, term, "mismatchLabelKeys");
    const std::string_view key = term.string_at("topologyKey");
    if (key.empty()) {
        causes.push_back(api::FieldError::required(path + ".topologyKey", "can not be empty"));
    }
    check_qualified_name(causes, path + ".topologyKey", key);
}

void check_pod_affinity(Causes& causes, const std::string& path, const Value& affinity) {
    const std::string list = fmt::format("{}.{}", path, kRequired);
    const auto& terms = items_of(affinity.find(kRequired));
    for (std::size_t i = 0; i < terms.size(); ++i) {
        check_pod_term(causes, element(list, i), terms[i]);
    }
    check_preferences(
        causes,
        path,
        affinity,
        "podAffinityTerm",
        [&causes](const std::string& here, const Value& term) {
            check_pod_term(causes, here, term);
        }
    );
}

void check_min_domains(Causes& causes, const std::string& path, const Value& constraint) {
    const Value* domains = constraint.find("minDomains");
    if (domains == nullptr || !domains->is_int()) {
        return;
    }
    const std::string_view when = constraint.string_at("whenUnsatisfiable");
    if (domains->as_int() <= 0) {
        causes.push_back(api::FieldError::invalid(path, *domains, "must be greater than zero"));
    }
    if (when != "DoNotSchedule") {
        causes.push_back(api::FieldError::invalid(
            path,
            *domains,
            fmt::format("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {}", when)
        ));
    }
}

void check_spread(Causes& causes, const std::string& path, const Value& constraint) {
    const std::int64_t skew = int_at(constraint, "maxSkew", 0);
    if (skew <= 0) {
        causes.push_back(
            api::FieldError::invalid(path + ".maxSkew", skew, "must be greater than zero")
        );
    }
    if (constraint.string_at("topologyKey").empty()) {
        causes.push_back(api::FieldError::required(path + ".topologyKey", "can not be empty"));
    }
    const std::string_view when = constraint.string_at("whenUnsatisfiable");
    if (when != "DoNotSchedule" && when != "ScheduleAnyway") {
        causes.push_back(api::FieldError::not_supported(
            path + ".whenUnsatisfiable", when, {"DoNotSchedule", "ScheduleAnyway"}
        ));
    }
    check_min_domains(causes, path + ".minDomains", constraint);
    check_one_of(causes, path, constraint, "nodeAffinityPolicy", {"Honor", "Ignore"});
    check_one_of(causes, path, constraint, "nodeTaintsPolicy", {"Honor", "Ignore"});
    check_label_keys(causes, path, constraint, "matchLabelKeys");
    check_label_selector(causes, path + ".labelSelector", constraint.find("labelSelector"));
}

void check_spreads(Causes& causes, const std::string& path, const Value* constraints) {
    const auto& items = items_of(constraints);
    const auto is_same = [](const Value& left, const Value& right) {
        return left.string_at("topologyKey") == right.string_at("topologyKey") &&
               left.string_at("whenUnsatisfiable") == right.string_at("whenUnsatisfiable");
    };
    for (std::size_t i = 0; i < items.size(); ++i) {
        check_spread(causes, element(path, i), items[i]);
        const bool is_repeated = std::any_of(
            items.begin() + static_cast<std::ptrdiff_t>(i) + 1,
            items.end(),
            [&](const Value& later) { return is_same(items[i], later); }
        );
        if (is_repeated) {
            causes.push_back(api::FieldError::duplicate(
                element(path, i) + ".{topologyKey, whenUnsatisfiable}",
                fmt::format(
                    "{{{}, {}}}",
                    items[i].string_at("topologyKey"),
                    items[i].string_at("whenUnsatisfiable")
                )
            ));
        }
    }
}

}  // namespace

void check_placement(Causes& causes, const std::string& path, const Value& spec) {
    if (const Value* affinity = spec.find("affinity");
        affinity != nullptr && affinity->is_object()) {
        const std::string here = path + ".affinity.";
        check_node_affinity(
            causes, here + "nodeAffinity", member_or_null(*affinity, "nodeAffinity")
        );
        check_pod_affinity(causes, here + "podAffinity", member_or_null(*affinity, "podAffinity"));
        check_pod_affinity(
            causes, here + "podAntiAffinity", member_or_null(*affinity, "podAntiAffinity")
        );
    }
    check_spreads(
        causes, path + ".topologySpreadConstraints", spec.find("topologySpreadConstraints")
    );
}

}  // namespace sluice::apiserver
