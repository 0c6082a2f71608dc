#include "apiserver/admission/builtin_admission.hpp"

#include "apiserver/admission/limit_ranges.hpp"
#include "apiserver/admission/runtime_classes.hpp"
#include "apiserver/defaults/builtin_defaults.hpp"
#include "apiserver/objects/values.hpp"
#include "apiserver/types/failures.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace sluice::apiserver {

namespace {

const Collection classes_collection{"scheduling.k8s.io", "priorityclasses"};
const Collection accounts_collection{"", "serviceaccounts"};

bool is_pod_type(const ResourceType& type) {
    return !type.is_custom && type.group.empty() && type.kind == "Pod";
}

std::string_view name_of(const json::Value& object) {
    return object.find("metadata")->string_at("name");
}

/// The fields of a pod that its priority class sets.
struct Priority {
    std::string class_name;
    std::int64_t value = 0;
    std::string preemption = "PreemptLowerPriority";
};

Priority priority_of(const ObjectName& name, const json::Value& priority_class) {
    Priority priority{.class_name = name.name, .value = int_at(priority_class, "value", 0)};
    if (const auto policy = priority_class.string_at("preemptionPolicy"); !policy.empty()) {
        priority.preemption = policy;
    }
    return priority;
}

Result<Priority> find_priority(
    const State& state, const ResourceType& type, const json::Value& pod
) {
    const std::string name(pod.find("spec")->string_at("priorityClassName"));
    if (name == "system-cluster-critical" || name == "system-node-critical") {
        constexpr std::int64_t kOfCluster = 2'000'000'000;
        return Priority{name, name == "system-node-critical" ? kOfCluster + 1000 : kOfCluster};
    }
    if (!name.empty()) {
        const Snapshot found = state.store.find(classes_collection, {"", name});
        if (!found) {
            return forbidden(
                type, name_of(pod), fmt::format("no PriorityClass with name {} was found", name)
            );
        }
        return priority_of({"", name}, *found);
    }
    // If several classes are the global default, the one with the lowest value is used.
    Priority lowest;
    for (const auto& [key, object] : state.store.objects(classes_collection)) {
        const bool is_lower =
            lowest.class_name.empty() || int_at(*object, "value", 0) < lowest.value;
        if (is_true(*object, "globalDefault") && is_lower) {
            lowest = priority_of(key, *object);
        }
    }
    return lowest;
}

Result<void> set_priority(const State& state, const ResourceType& type, json::Value& pod) {
    const auto priority = find_priority(state, type, pod);
    if (!priority) {
        return priority.error();
    }
    json::Value& spec = object_at(pod, "spec");
    const std::int64_t written = int_at(spec, "priority", priority->value);
    if (written != priority->value) {
        return forbidden(
            type,
            name_of(pod),
            fmt::format(
                "the integer value of priority ({}) must not be provided in pod spec; priority "
                "admission controller computed {} from the given PriorityClass name",
                written,
                priority->value
            )
        );
    }
    if (!priority->class_name.empty()) {
        spec.set("priorityClassName", priority->class_name);
    }
    spec.set("priority", priority->value);
    set_default(spec, "preemptionPolicy", priority->preemption);
    return {};
}

Result<void> admit_new_pod(State& state, const ResourceType& type, json::Value& pod) {
    const std::string ns(pod.find("metadata")->string_at("namespace"));
    std::string name(object_at(pod, "spec").string_at("serviceAccountName"));
    name = name.empty() ? "default" : name;
    const Snapshot account = state.store.find(accounts_collection, {ns, name});
    if (!account) {
        return forbidden(
            type,
            name_of(pod),
            fmt::format(
                "error looking up service account {}/{}: serviceaccount \"{}\" not found",
                ns,
                name,
                name
            )
        );
    }
    const json::Value* mounts = account->find("automountServiceAccountToken");
    apply_limit_ranges(state, pod);
    if (auto runs = admit_runtime_class(state, type, pod); !runs) {
        return runs;
    }
    admit_pod(pod, state.new_suffix(), mounts == nullptr || *mounts != json::Value(false));
    if (auto set = set_priority(state, type, pod); !set) {
        return set;
    }
    return check_limit_ranges(state, type, pod);
}

}  // namespace

Result<void> admit_to_namespace(
    const State& state, const ResourceType& type, std::string_view ns, std::string_view name
) {
    if (!type.is_namespaced) {
        return {};
    }
    const Snapshot found = state.store.find({"", "namespaces"}, {"", std::string(ns)});
    if (!found) {
        return not_found(*state.types.find("", "v1", "namespaces"), ns);
    }
    if (found->find_path({"metadata", "deletionTimestamp"}) == nullptr) {
        return {};
    }
    return forbidden(
        type,
        name,
        fmt::format(
            "unable to create new content in namespace {} because it is being terminated", ns
        ),
        {{"NamespaceTerminating",
          fmt::format("namespace {} is being terminated", ns),
          "metadata.namespace"}}
    );
}

Result<void> admit_new_builtin(State& state, const ResourceType& type, json::Value& object) {
    if (is_pod_type(type)) {
        return admit_new_pod(state, type, object);
    }
    if (!type.is_custom && type.group.empty() && type.kind == "Node") {
        admit_node(object);
    }
    if (!type.is_custom && type.group.empty() && type.kind == "PersistentVolumeClaim") {
        return check_limit_ranges(state, type, object);
    }
    return {};
}

void admit_changed_builtin(
    const ResourceType& type, std::string_view subresource, json::Value& object
) {
    if (is_pod_type(type) && subresource.empty()) {
        admit_pod_update(object);
    }
}

}  // namespace sluice::apiserver
