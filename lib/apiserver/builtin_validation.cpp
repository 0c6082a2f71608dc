#include "apiserver/builtin_defaults.hpp"
#include "apiserver/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

// The rules of Kubernetes' own kinds that users meet most: required parts, and what may not change.
namespace sluice::apiserver {

namespace {

class Rules {
  public:
    std::vector<Cause> causes;

    void require(bool holds, std::string field) {
        if (!holds) {
            causes.push_back({"FieldValueRequired", "Required value", std::move(field)});
        }
    }
    void forbid(std::string field, std::string_view why) {
        causes.push_back(
            {"FieldValueForbidden", fmt::format("Forbidden: {}", why), std::move(field)}
        );
    }
    void refuse(std::string field, const json::Value& value, std::string_view why) {
        causes.push_back(
            {"FieldValueInvalid",
             fmt::format("Invalid value: {}: {}", shown(value), why),
             std::move(field)}
        );
    }
    void not_below_zero(const json::Value& spec, std::string_view name) {
        const json::Value* value = spec.find(name);
        if (value != nullptr && value->is_int() && value->as_int() < 0) {
            refuse(fmt::format("spec.{}", name), *value, "must be greater than or equal to 0");
        }
    }
};

void check_containers(Rules& rules, const json::Value& spec, const std::string& path) {
    const json::Value* containers = spec.find("containers");
    const bool are_there =
        containers != nullptr && containers->is_array() && !containers->as_array().empty();
    rules.require(are_there, path + ".containers");
    if (!are_there) {
        return;
    }
    for (std::size_t i = 0; i < containers->as_array().size(); ++i) {
        const json::Value& container = containers->as_array()[i];
        const std::string place = fmt::format("{}.containers[{}]", path, i);
        rules.require(!container.string_at("name").empty(), place + ".name");
        rules.require(!container.string_at("image").empty(), place + ".image");
    }
}

/// What of a pod may not change: all but images, deadlines, added tolerations and gates that go.
json::Value fixed_part(const json::Value& pod) {
    json::Value spec =
        pod.find("spec") == nullptr ? json::Value(json::Object()) : *pod.find("spec");
    for (const char* name :
         {"activeDeadlineSeconds",
          "terminationGracePeriodSeconds",
          "tolerations",
          "schedulingGates",
          "nodeSelector",
          "affinity",
          "nodeName"}) {
        spec.erase(name);
    }
    for (const char* list : {"containers", "initContainers"}) {
        if (json::Value* containers = spec.find(list);
            containers != nullptr && containers->is_array()) {
            for (json::Value& container : containers->as_array()) {
                container.erase("image");
                container.erase("resources");
            }
        }
    }
    return spec;
}

bool has_gates(const json::Value& pod) {
    const json::Value* gates = pod.find_path({"spec", "schedulingGates"});
    return gates != nullptr && gates->is_array() && !gates->as_array().empty();
}

void check_pod_update(Rules& rules, const json::Value& after, const json::Value& before) {
    if (fixed_part(after) != fixed_part(before)) {
        rules.forbid(
            "spec",
            "pod updates may not change fields other than `spec.containers[*].image`,"
            "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
            "`spec.tolerations` (only additions to existing tolerations),"
            "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously "
            "negative)"
        );
    }
    const json::Value* gates = after.find_path({"spec", "schedulingGates"});
    if (gates != nullptr && gates->is_array()) {
        const json::Value* old = before.find_path({"spec", "schedulingGates"});
        for (std::size_t i = 0; i < gates->as_array().size(); ++i) {
            const json::Value& gate = gates->as_array()[i];
            const bool is_known = old != nullptr && old->is_array() &&
                                  std::ranges::find(old->as_array(), gate) != old->as_array().end();
            if (!is_known) {
                rules.forbid(
                    fmt::format("spec.schedulingGates[{}].name", i),
                    "only deletion is allowed, but found new scheduling gate '" +
                        std::string(gate.string_at("name")) + "'"
                );
            }
        }
    }
    if (!has_gates(before)) {
        const json::Value* was = before.find_path({"spec", "nodeSelector"});
        const json::Value* is = after.find_path({"spec", "nodeSelector"});
        const json::Value none = json::Object();
        if ((was == nullptr ? none : *was) != (is == nullptr ? none : *is)) {
            rules.forbid("spec.nodeSelector", "field is immutable");
        }
    }
}

/// What of a Job's template may change while it is suspended: where its pods may run.
json::Value fixed_template(const json::Value& job, bool may_move) {
    const json::Value* found = job.find_path({"spec", "template"});
    json::Value pod_template = found == nullptr ? json::Value(json::Object()) : *found;
    if (!may_move) {
        return pod_template;
    }
    if (json::Value* spec = pod_template.find("spec")) {
        for (const char* name : {"nodeSelector", "tolerations", "affinity", "schedulingGates"}) {
            spec->erase(name);
        }
        for (const char* list : {"containers", "initContainers"}) {
            if (json::Value* containers = spec->find(list);
                containers != nullptr && containers->is_array()) {
                for (json::Value& container : containers->as_array()) {
                    container.erase("resources");
                }
            }
        }
    }
    if (json::Value* metadata = pod_template.find("metadata")) {
        metadata->erase("labels");
        metadata->erase("annotations");
    }
    pod_template.erase("metadata");
    return pod_template;
}

void check_job_update(Rules& rules, const json::Value& after, const json::Value& before) {
    const json::Value* suspended = before.find_path({"spec", "suspend"});
    const json::Value* will_be = after.find_path({"spec", "suspend"});
    const bool was_suspended = suspended != nullptr && *suspended == json::Value(true);
    const bool is_suspended = will_be != nullptr && *will_be == json::Value(true);
    const json::Value* started = before.find_path({"status", "startTime"});
    const bool may_move = (was_suspended || is_suspended) && started == nullptr;
    if (fixed_template(after, may_move) != fixed_template(before, may_move)) {
        const json::Value* value = after.find_path({"spec", "template"});
        rules.refuse(
            "spec.template", value == nullptr ? json::Value() : *value, "field is immutable"
        );
    }
    for (const char* name : {"selector", "completionMode"}) {
        const json::Value* was = before.find_path({"spec", name});
        const json::Value* is = after.find_path({"spec", name});
        const json::Value none;
        if ((was == nullptr ? none : *was) != (is == nullptr ? none : *is)) {
            rules.refuse(
                fmt::format("spec.{}", name), is == nullptr ? none : *is, "field is immutable"
            );
        }
    }
    const json::Value* was = before.find_path({"spec", "completions"});
    const json::Value* is = after.find_path({"spec", "completions"});
    const json::Value* mode = after.find_path({"spec", "completionMode"});
    const json::Value* parallelism = after.find_path({"spec", "parallelism"});
    const bool is_elastic = mode != nullptr && *mode == json::Value("Indexed") && is != nullptr &&
                            parallelism != nullptr && *is == *parallelism;
    const json::Value none;
    if ((was == nullptr ? none : *was) != (is == nullptr ? none : *is) && !is_elastic) {
        rules.refuse("spec.completions", is == nullptr ? none : *is, "field is immutable");
    }
}

void check_job(Rules& rules, const json::Value& job) {
    const json::Value* spec = job.find("spec");
    if (spec == nullptr) {
        return;
    }
    for (const char* name :
         {"parallelism",
          "completions",
          "backoffLimit",
          "activeDeadlineSeconds",
          "ttlSecondsAfterFinished",
          "backoffLimitPerIndex"}) {
        rules.not_below_zero(*spec, name);
    }
    const json::Value* mode = spec->find("completionMode");
    const json::Value* completions = spec->find("completions");
    if (mode != nullptr && *mode == json::Value("Indexed") &&
        (completions == nullptr || completions->is_null())) {
        rules.causes.push_back(
            {"FieldValueRequired",
             "Required value: when completion mode is Indexed",
             "spec.completions"}
        );
    }
    const json::Value* pod = spec->find_path({"template", "spec"});
    if (pod == nullptr) {
        return;
    }
    check_containers(rules, *pod, "spec.template.spec");
    const std::string_view policy = pod->string_at("restartPolicy");
    if (policy != "Never" && policy != "OnFailure") {
        rules.causes.push_back(
            {"FieldValueNotSupported",
             fmt::format(
                 "Unsupported value: {}: supported values: \"OnFailure\", \"Never\"",
                 shown(json::Value(policy))
             ),
             "spec.template.spec.restartPolicy"}
        );
    }
}

void check_apps(Rules& rules, const json::Value& object) {
    const json::Value* spec = object.find("spec");
    if (spec == nullptr) {
        return;
    }
    rules.not_below_zero(*spec, "replicas");
    const json::Value* selector = spec->find("selector");
    rules.require(selector != nullptr && selector->is_object(), "spec.selector");
    const json::Value* labels = spec->find_path({"template", "metadata", "labels"});
    const json::Value* wanted = spec->find_path({"selector", "matchLabels"});
    if (wanted != nullptr && wanted->is_object()) {
        for (const auto& [key, value] : wanted->as_object()) {
            const json::Value* own = labels == nullptr ? nullptr : labels->find(key);
            if (own == nullptr || *own != value) {
                rules.refuse(
                    "spec.template.metadata.labels",
                    labels == nullptr ? json::Value() : *labels,
                    "`selector` does not match template `labels`"
                );
                break;
            }
        }
    }
    if (const json::Value* pod = spec->find_path({"template", "spec"})) {
        check_containers(rules, *pod, "spec.template.spec");
    }
}

}  // namespace

std::vector<Cause> validate_builtin(
    const ResourceType& type, const json::Value& object, const json::Value& before
) {
    Rules rules;
    if (type.is_custom) {
        return rules.causes;
    }
    if (type.kind == "Pod") {
        const json::Value* spec = object.find("spec");
        check_containers(rules, spec == nullptr ? json::Value(json::Object()) : *spec, "spec");
        if (!before.is_null()) {
            check_pod_update(rules, object, before);
        }
    } else if (type.kind == "Job") {
        check_job(rules, object);
        if (!before.is_null()) {
            check_job_update(rules, object, before);
        }
    } else if (type.group == "apps") {
        check_apps(rules, object);
    }
    return std::move(rules.causes);
}

}  // namespace sluice::apiserver
