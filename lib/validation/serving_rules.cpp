#include "validation/serving_rules.hpp"

#include "api/kueue_names.hpp"
#include "api/quantity.hpp"
#include "validation/admission_gate_rules.hpp"
#include "validation/job_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string_view>

namespace sluice::validation {

namespace {

using config::Feature;

/// Compared as they are.
constexpr std::string_view kPlainFields[] = {
    "affinity",
    "nodeSelector",
    "priority",
    "resourceClaims",
    "runtimeClassName",
    "tolerations",
    "topologySpreadConstraints",
};

std::string_view serving_label(const api::ObjectMeta& object, const char* key) {
    const std::string* value = object.find_label(key);
    return value == nullptr ? std::string_view() : std::string_view(*value);
}

/// Null where nothing is said: what is absent, null or empty is the same.
json::Value member(const json::Value& object, std::string_view key) {
    const json::Value* found = object.find(key);
    const bool says_something = found != nullptr &&
                                !(found->is_object() && found->as_object().empty()) &&
                                !(found->is_array() && found->as_array().empty()) &&
                                !(found->is_string() && found->as_string().empty());
    return says_something ? *found : json::Value();
}

bool is_same_amount(const json::Value& a, const json::Value& b) {
    const auto parse = [](const json::Value& amount) {
        return api::Quantity::parse(amount.is_string() ? amount.as_string() : json::print(amount));
    };
    const auto first = parse(a);
    const auto second = parse(b);
    return first && second ? *first == *second : a == b;
}

/// Whether amounts of resources are the same, however they are written.
bool are_same_amounts(const json::Value& a, const json::Value& b) {
    if (!a.is_object() || !b.is_object()) {
        return a == b;
    }
    return a.as_object().size() == b.as_object().size() &&
           std::ranges::all_of(a.as_object(), [&b](const auto& amount) {
               const json::Value* other = b.find(amount.first);
               return other != nullptr && is_same_amount(amount.second, *other);
           });
}

class RoleFields {
  public:
    explicit RoleFields(FieldErrors& errors) : errors_(errors) {}

    void compare(const json::Value& before, const json::Value& after, const std::string& path) {
        for (const std::string_view field : kPlainFields) {
            check(
                member(before, field) == member(after, field),
                fmt::format("{}.{}", path, field),
                member(after, field)
            );
        }
        amounts(before, after, "overhead", path + ".overhead");
        amounts(
            member(before, "resources"), member(after, "resources"), "requests", path + ".resources"
        );
        containers(before, after, "initContainers", path);
        containers(before, after, "containers", path);
    }

  private:
    void check(bool is_same, std::string field, json::Value value) {
        if (!is_same) {
            errors_.push_back(immutable(std::move(field), std::move(value)));
        }
    }

    void amounts(
        const json::Value& before,
        const json::Value& after,
        std::string_view key,
        const std::string& place
    ) {
        const json::Value was = before.is_object() ? member(before, key) : json::Value();
        const json::Value is = after.is_object() ? member(after, key) : json::Value();
        check(are_same_amounts(was, is), place, is);
    }

    void containers(
        const json::Value& before,
        const json::Value& after,
        std::string_view key,
        const std::string& path
    ) {
        const json::Value was = member(before, key);
        const json::Value is = member(after, key);
        const std::size_t old_count = was.is_array() ? was.as_array().size() : 0;
        const std::size_t count = is.is_array() ? is.as_array().size() : 0;
        const std::string list = fmt::format("{}.{}", path, key);
        check(old_count == count, list, is);
        for (std::size_t i = 0; i < count && old_count == count; ++i) {
            const json::Value& old_one = was.as_array()[i];
            const json::Value& one = is.as_array()[i];
            const std::string place = fmt::format("{}[{}]", list, i);
            check(
                member(old_one, "ports") == member(one, "ports"),
                place + ".ports",
                member(one, "ports")
            );
            amounts(
                member(old_one, "resources"),
                member(one, "resources"),
                "requests",
                place + ".resources.requests"
            );
        }
    }

    FieldErrors& errors_;
};

}  // namespace

FieldErrors validate_changed_serving(
    const api::ObjectMeta& object,
    const std::string& group_version_kind,
    const config::FeatureGates& gates
) {
    FieldErrors errors = validate_queue_name(object);
    append(errors, validate_elastic(object, group_version_kind, false, gates));
    return errors;
}

FieldErrors validate_serving(
    const api::ObjectMeta& object,
    const std::string& group_version_kind,
    const config::FeatureGates& gates
) {
    FieldErrors errors = validate_changed_serving(object, group_version_kind, gates);
    append(errors, validate_gates(object, gates));
    return errors;
}

FieldErrors validate_gates(const api::ObjectMeta& object, const config::FeatureGates& gates) {
    return gates.is_enabled(Feature::AdmissionGatedBy) ? validate_admission_gates(object)
                                                       : FieldErrors();
}

FieldErrors validate_serving_update(
    const api::ObjectMeta& before,
    const api::ObjectMeta& after,
    Served served,
    const config::FeatureGates& gates
) {
    const std::string_view old_queue = serving_label(before, api::label::kQueueName);
    const std::string_view queue = serving_label(after, api::label::kQueueName);
    FieldErrors errors;
    if ((served == Served::Yes || queue.empty()) && old_queue != queue) {
        errors.push_back(
            immutable(fmt::format("metadata.labels[{}]", api::label::kQueueName), queue)
        );
    }
    append(errors, validate_priority_class_change(before, after, served == Served::No));
    if (gates.is_enabled(Feature::AdmissionGatedBy)) {
        append(errors, validate_admission_gates_update(before, after));
    }
    return errors;
}

FieldErrors validate_role_fields(
    const json::Value& before, const json::Value& after, const std::string& path
) {
    FieldErrors errors;
    RoleFields(errors).compare(before, after, path);
    return errors;
}

}  // namespace sluice::validation
