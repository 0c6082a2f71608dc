#include "validation/serving_rules.hpp"

#include "api/core/effective_requests.hpp"
#include "api/kueue/kueue_names.hpp"
#include "api/meta/codec.hpp"
#include "api/meta/quantity.hpp"
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

/// Fields that are compared as they are written.
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

/// Returns a member; null if it is absent, null or empty, which all mean the same.
json::Value member(const json::Value& object, std::string_view key) {
    const json::Value* found = object.find(key);
    const bool says_something = found != nullptr &&
                                !(found->is_object() && found->as_object().empty()) &&
                                !(found->is_array() && found->as_array().empty()) &&
                                !(found->is_string() && found->as_string().empty());
    return says_something ? *found : json::Value();
}

json::Value print_amounts(const api::ResourceList& amounts) {
    json::Value list = json::Object{};
    for (const auto& [resource, quantity] : amounts) {
        list.set(resource, quantity.to_string());
    }
    return list;
}

/// Compares the fields that decide what a pod of a role counts for and where it may run. Compares
/// the specs after the API server's defaults, not as they are written.
class RoleFields {
  public:
    explicit RoleFields(api::FieldErrors& errors) : errors_(errors) {}

    void compare(const json::Value& before, const json::Value& after, const std::string& path) {
        for (const std::string_view field : kPlainFields) {
            check(
                member(before, field) == member(after, field),
                fmt::format("{}.{}", path, field),
                member(after, field)
            );
        }
        const auto old_spec = api::from_value<api::PodSpec>(before);
        const auto spec = api::from_value<api::PodSpec>(after);
        if (!old_spec || !spec) {
            check(before == after, path, after);
            return;
        }
        const api::PodResources was = api::effective_resources(*old_spec);
        const api::PodResources is = api::effective_resources(*spec);
        check_amounts(was.overhead, is.overhead, path + ".overhead");
        check_amounts(
            api::pod_level_requests(was), api::pod_level_requests(is), path + ".resources"
        );
        const std::string init = path + ".initContainers";
        if (compare_lists(before, after, "initContainers", init)) {
            for (std::size_t i = 0; i < is.init_containers.size(); ++i) {
                const std::string place = fmt::format("{}[{}]", init, i);
                const auto& [resources, is_sidecar] = is.init_containers[i];
                check_requests(was.init_containers[i].resources, resources, place);
                // Sidecars count together with the containers, other init containers before them.
                check(
                    was.init_containers[i].is_sidecar == is_sidecar,
                    place + ".restartPolicy",
                    spec->init_containers[i].restart_policy
                );
            }
        }
        const std::string list = path + ".containers";
        if (compare_lists(before, after, "containers", list)) {
            for (std::size_t i = 0; i < is.containers.size(); ++i) {
                check_requests(was.containers[i], is.containers[i], fmt::format("{}[{}]", list, i));
            }
        }
    }

  private:
    void check(bool is_same, std::string field, json::Value value) {
        if (!is_same) {
            errors_.push_back(api::FieldError::immutable(std::move(field), std::move(value)));
        }
    }

    void check_amounts(
        const api::ResourceList& was, const api::ResourceList& is, std::string field
    ) {
        check(was == is, std::move(field), print_amounts(is));
    }

    void check_requests(
        const api::EffectiveResources& was,
        const api::EffectiveResources& is,
        const std::string& container
    ) {
        check_amounts(was.requests, is.requests, container + ".resources.requests");
    }

    /// Compares the ports of the containers that both lists have. Returns true if the lists have
    /// the same length.
    bool compare_lists(
        const json::Value& before,
        const json::Value& after,
        std::string_view key,
        const std::string& list
    ) {
        const json::Value was = member(before, key);
        const json::Value is = member(after, key);
        const std::size_t old_count = was.is_array() ? was.as_array().size() : 0;
        const std::size_t count = is.is_array() ? is.as_array().size() : 0;
        check(old_count == count, list, is);
        for (std::size_t i = 0; i < count && old_count == count; ++i) {
            const json::Value ports = member(is.as_array()[i], "ports");
            check(
                member(was.as_array()[i], "ports") == ports,
                fmt::format("{}[{}].ports", list, i),
                ports
            );
        }
        return old_count == count;
    }

    api::FieldErrors& errors_;
};

}  // namespace

api::FieldErrors validate_changed_serving(
    const api::ObjectMeta& object,
    const std::string& group_version_kind,
    const config::FeatureGates& gates
) {
    api::FieldErrors errors = validate_queue_name(object);
    append(errors, validate_elastic(object, group_version_kind, false, gates));
    return errors;
}

api::FieldErrors validate_serving(
    const api::ObjectMeta& object,
    const std::string& group_version_kind,
    const config::FeatureGates& gates
) {
    api::FieldErrors errors = validate_changed_serving(object, group_version_kind, gates);
    append(errors, validate_gates(object, gates));
    return errors;
}

api::FieldErrors validate_gates(const api::ObjectMeta& object, const config::FeatureGates& gates) {
    return gates.is_enabled(Feature::AdmissionGatedBy) ? validate_admission_gates(object)
                                                       : api::FieldErrors();
}

api::FieldErrors validate_serving_update(
    const api::ObjectMeta& before,
    const api::ObjectMeta& after,
    Served served,
    const config::FeatureGates& gates
) {
    const std::string_view old_queue = serving_label(before, api::label::kQueueName);
    const std::string_view queue = serving_label(after, api::label::kQueueName);
    api::FieldErrors errors;
    if ((served == Served::Yes || queue.empty()) && old_queue != queue) {
        errors.push_back(api::FieldError::immutable(
            fmt::format("metadata.labels[{}]", api::label::kQueueName), queue
        ));
    }
    append(errors, validate_priority_class_change(before, after, served == Served::No));
    if (gates.is_enabled(Feature::AdmissionGatedBy)) {
        append(errors, validate_admission_gates_update(before, after));
    }
    return errors;
}

api::FieldErrors validate_role_fields(
    const json::Value& before, const json::Value& after, const std::string& path
) {
    api::FieldErrors errors;
    RoleFields(errors).compare(before, after, path);
    return errors;
}

}  // namespace sluice::validation
