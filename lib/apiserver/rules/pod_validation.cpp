#include "apiserver/rules/pod_validation.hpp"

#include "api/meta/names.hpp"
#include "apiserver/objects/cause.hpp"
#include "apiserver/objects/values.hpp"
#include "apiserver/rules/builtin_validation.hpp"
#include "apiserver/rules/placement_validation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

namespace sluice::apiserver {
namespace {

using json::Value;

void check_toleration(Causes& causes, const std::string& path, const Value& toleration) {
    const auto key = toleration.string_at("key");
    const auto operation = toleration.string_at("operator");
    if (!key.empty()) {
        check_qualified_name(causes, path + ".key", key);
    } else if (operation != "Exists") {
        causes.push_back(api::FieldError::invalid(
            path + ".operator",
            operation,
            "operator must be Exists when `key` is empty, which means \"match all values and all "
            "keys\""
        ));
    }
    const auto effect = toleration.string_at("effect");
    if (toleration.find("tolerationSeconds") != nullptr && effect != "NoExecute") {
        causes.push_back(api::FieldError::invalid(
            path + ".effect", effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"
        ));
    }
    const auto value = toleration.string_at("value");
    if (operation == "Exists" && !value.empty()) {
        causes.push_back(api::FieldError::invalid(
            path + ".operator", value, "value must be empty when `operator` is 'Exists'"
        ));
    }
    check_one_of(causes, path, toleration, "operator", {"Equal", "Exists"});
    check_one_of(
        causes, path, toleration, "effect", {"NoSchedule", "PreferNoSchedule", "NoExecute"}
    );
}

void check_gates(Causes& causes, const std::string& path, const Value& spec) {
    const auto& gates = items_of(spec.find("schedulingGates"));
    std::set<std::string> names;
    for (std::size_t i = 0; i < gates.size(); ++i) {
        const std::string name(gates[i].string_at("name"));
        check_qualified_name(causes, element_path(path + ".schedulingGates", i), name);
        if (!names.insert(name).second) {
            causes.push_back(
                api::FieldError::duplicate(element_path(path + ".schedulingGates", i), name)
            );
        }
    }
    if (!gates.empty() && !spec.string_at("nodeName").empty()) {
        causes.push_back(api::FieldError::forbidden(
            path + ".nodeName", "cannot be set until all schedulingGates have been cleared"
        ));
    }
}

void check_deadline(Causes& causes, const std::string& path, const Value& spec) {
    const Value* deadline = spec.find("activeDeadlineSeconds");
    if (deadline != nullptr && deadline->is_int() &&
        (deadline->as_int() < 1 || deadline->as_int() > std::numeric_limits<std::int32_t>::max())) {
        causes.push_back(api::FieldError::invalid(
            path + ".activeDeadlineSeconds",
            *deadline,
            "must be between 1 and 2147483647, inclusive"
        ));
    }
}

/// Returns the new spec with the mutable fields set to their old values.
Value without_mutable(const Value& spec, const Value& old_spec) {
    Value fixed = spec;
    for (const auto* list : {"containers", "initContainers"}) {
        Value* containers = fixed.find(list);
        const auto& old_ones = items_of(old_spec.find(list));
        for (std::size_t i = 0; i < items_of(containers).size() && i < old_ones.size(); ++i) {
            containers->as_array()[i].set("image", std::string(old_ones[i].string_at("image")));
        }
    }
    const bool is_gated = !items_of(old_spec.find("schedulingGates")).empty();
    std::vector<const char*> fields{"activeDeadlineSeconds", "tolerations", "schedulingGates"};
    if (is_gated) {
        fields.insert(fields.end(), {"nodeSelector", "affinity"});
    }
    if (int_at(old_spec, "terminationGracePeriodSeconds", 0) < 0 &&
        int_at(spec, "terminationGracePeriodSeconds", 0) == 1) {
        fields.push_back("terminationGracePeriodSeconds");
    }
    for (const auto* name : fields) {
        if (const Value* old_value = old_spec.find(name)) {
            fixed.set(name, *old_value);
        } else {
            fixed.erase(name);
        }
    }
    return fixed;
}

void check_gates_update(Causes& causes, const Value& spec, const Value& old_spec) {
    const auto& gates = items_of(spec.find("schedulingGates"));
    const auto& old_gates = items_of(old_spec.find("schedulingGates"));
    for (std::size_t i = 0; i < gates.size(); ++i) {
        if (std::find(old_gates.begin(), old_gates.end(), gates[i]) == old_gates.end()) {
            causes.push_back(api::FieldError::forbidden(
                element_path("spec.schedulingGates", i) + ".name",
                fmt::format(
                    "only deletion is allowed, but found new scheduling gate '{}'",
                    gates[i].string_at("name")
                )
            ));
        }
    }
    if (old_gates.empty()) {
        return;
    }
    const Value* selector = spec.find("nodeSelector");
    for (const auto& [name, value] : members_of(old_spec.find("nodeSelector"))) {
        const Value* now = selector == nullptr ? nullptr : selector->find(name);
        if (now == nullptr || !(*now == value)) {
            causes.push_back(api::FieldError::invalid(
                "spec.nodeSelector",
                selector == nullptr ? Value() : *selector,
                "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
            ));
            return;
        }
    }
}

void check_tolerations_update(Causes& causes, const Value& spec, const Value& old_spec) {
    const auto& tolerations = items_of(spec.find("tolerations"));
    for (const auto& old_one : items_of(old_spec.find("tolerations"))) {
        const bool stays =
            std::any_of(tolerations.begin(), tolerations.end(), [&](Value toleration) {
                Value was = old_one;
                toleration.erase("tolerationSeconds");
                was.erase("tolerationSeconds");
                return toleration == was;
            });
        if (!stays) {
            causes.push_back(api::FieldError::forbidden(
                "spec.tolerations",
                "existing toleration can not be modified except its tolerationSeconds"
            ));
            return;
        }
    }
}

void check_deadline_update(Causes& causes, const Value& spec, const Value& old_spec) {
    const Value* now = spec.find("activeDeadlineSeconds");
    const Value* was = old_spec.find("activeDeadlineSeconds");
    if (was == nullptr) {
        return;
    }
    if (now == nullptr) {
        causes.push_back(api::FieldError::invalid(
            "spec.activeDeadlineSeconds",
            Value(),
            "must not update from a positive integer to nil value"
        ));
    } else if (now->as_int() > was->as_int()) {
        causes.push_back(api::FieldError::invalid(
            "spec.activeDeadlineSeconds", *now, "must be less than or equal to previous value"
        ));
    }
}

}  // namespace

void check_pod_spec(Causes& causes, const std::string& path, const Value& spec) {
    check_containers(causes, path, spec);
    check_pod_resources(causes, path, spec);
    if (spec.string_at("restartPolicy").empty()) {
        causes.push_back(api::FieldError::required(path + ".restartPolicy"));
    }
    check_one_of(causes, path, spec, "restartPolicy", {"Always", "OnFailure", "Never"});
    check_labels(causes, path + ".nodeSelector", spec.find("nodeSelector"));
    const auto& tolerations = items_of(spec.find("tolerations"));
    for (std::size_t i = 0; i < tolerations.size(); ++i) {
        check_toleration(causes, element_path(path + ".tolerations", i), tolerations[i]);
    }
    for (const auto* name : {"hostname", "subdomain"}) {
        if (!spec.string_at(name).empty()) {
            check_label(causes, path + "." + name, spec.string_at(name));
        }
    }
    for (const auto* name :
         {"serviceAccountName", "nodeName", "priorityClassName", "runtimeClassName"}) {
        if (!spec.string_at(name).empty()) {
            check_subdomain(causes, path + "." + name, spec.string_at(name));
        }
    }
    check_placement(causes, path, spec);
    check_deadline(causes, path, spec);
    check_gates(causes, path, spec);
}

void check_pod_template(Causes& causes, const std::string& path, const Value& pod_template) {
    const Value& metadata = member_or_null(pod_template, "metadata");
    check_labels(causes, path + ".labels", metadata.find("labels"));
    check_pod_spec(causes, path + ".spec", member_or_null(pod_template, "spec"));
}

void check_pod_update(Causes& causes, const Value& pod, const Value& old_pod) {
    const Value& spec = member_or_null(pod, "spec");
    const Value& old_spec = member_or_null(old_pod, "spec");
    for (const auto* list : {"containers", "initContainers"}) {
        if (items_of(spec.find(list)).size() != items_of(old_spec.find(list)).size()) {
            causes.push_back(api::FieldError::forbidden(
                fmt::format("spec.{}", list), "pod updates may not add or remove containers"
            ));
            return;
        }
    }
    check_deadline_update(causes, spec, old_spec);
    check_tolerations_update(causes, spec, old_spec);
    check_gates_update(causes, spec, old_spec);
    if (!(without_mutable(spec, old_spec) == old_spec)) {
        causes.push_back(api::FieldError::forbidden(
            "spec",
            "pod updates may not change fields other than `spec.containers[*].image`,"
            "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only "
            "additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to "
            "be set to 1 if it was previously negative)"
        ));
    }
}

}  // namespace sluice::apiserver
