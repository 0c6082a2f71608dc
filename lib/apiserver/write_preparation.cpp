#include "apiserver/write_preparation.hpp"

#include "apiserver/values.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace sluice::apiserver {
namespace {

using json::Object;
using json::Value;

/// How a kind's registry counts generations and keeps status.
struct KindRules {
    std::string_view group;
    std::string_view kind;
    bool has_status = false;
    /// metadata.generation counts changes of what is neither metadata nor status.
    bool counts = false;
    /// The status of a new object is kept.
    bool keeps_new_status = false;
};

constexpr std::array<KindRules, 26> kKinds{{
    {"", "Namespace", true, false, false},
    {"", "Node", true, false, true},
    {"", "Pod", true, true, false},
    {"", "Service", true, false, true},
    {"", "PersistentVolume", true, false, false},
    {"", "PersistentVolumeClaim", true, false, false},
    {"", "ReplicationController", true, true, false},
    {"", "ResourceQuota", true, false, false},
    {"admissionregistration.k8s.io", "MutatingWebhookConfiguration", false, true, false},
    {"admissionregistration.k8s.io", "ValidatingWebhookConfiguration", false, true, false},
    {"admissionregistration.k8s.io", "ValidatingAdmissionPolicy", true, true, false},
    {"admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding", false, true, false},
    {"apiextensions.k8s.io", "CustomResourceDefinition", true, true, false},
    {"apiregistration.k8s.io", "APIService", true, false, false},
    {"apps", "DaemonSet", true, true, false},
    {"apps", "Deployment", true, true, false},
    {"apps", "ReplicaSet", true, true, false},
    {"apps", "StatefulSet", true, true, false},
    {"autoscaling", "HorizontalPodAutoscaler", true, false, false},
    {"batch", "CronJob", true, true, false},
    {"batch", "Job", true, true, false},
    {"discovery.k8s.io", "EndpointSlice", false, true, false},
    {"networking.k8s.io", "Ingress", true, true, false},
    {"networking.k8s.io", "NetworkPolicy", false, true, false},
    {"policy", "PodDisruptionBudget", true, true, false},
    {"scheduling.k8s.io", "PriorityClass", false, true, false},
}};

const KindRules& rules_of(std::string_view group, std::string_view kind) {
    static constexpr KindRules kNone;
    const auto* found = std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& rules) {
        return rules.group == group && rules.kind == kind;
    });
    return found == kKinds.end() ? kNone : *found;
}

/// Gives a member the value it has in the other object, or removes it where that has none.
void copy_member(const Value& from, Value& to, std::string_view name) {
    if (const Value* found = from.find(name)) {
        to.set(name, *found);
    } else {
        to.erase(name);
    }
}

bool is_bookkeeping(std::string_view name, bool has_status) {
    return name == "metadata" || name == "apiVersion" || name == "kind" ||
           (has_status && name == "status");
}

bool differ_in_spec(const Value& a, const Value& b, bool has_status) {
    const auto has_same = [&](const Value& one, const Value& other) {
        return std::all_of(
            one.as_object().begin(),
            one.as_object().end(),
            [&](const json::Member& member) {
                const Value* found = other.find(member.first);
                return is_bookkeeping(member.first, has_status) ||
                       (found != nullptr && *found == member.second);
            }
        );
    };
    return !has_same(a, b) || !has_same(b, a);
}

void set_generation(Value& object, std::int64_t generation) {
    object_at(object, "metadata").set("generation", generation);
}

std::int64_t generation_of(const Value& object) {
    const Value* metadata = object.find("metadata");
    return metadata == nullptr ? 0 : int_at(*metadata, "generation", 0);
}

void keep_generation(const Value& old_object, Value& object, bool changed) {
    const auto generation = generation_of(old_object);
    if (generation != 0 || changed) {
        set_generation(object, generation + (changed ? 1 : 0));
    } else {
        object_at(object, "metadata").erase("generation");
    }
}

/// A Job's pods are found by the uid of the Job.
void generate_job_selector(Value& job) {
    const Value* metadata = job.find("metadata");
    Value& spec = object_at(job, "spec");
    if (is_true(spec, "manualSelector")) {
        return;
    }
    const std::string uid(metadata->string_at("uid"));
    const std::string name(metadata->string_at("name"));
    Value& labels = object_at(object_at(object_at(spec, "template"), "metadata"), "labels");
    labels.set("batch.kubernetes.io/controller-uid", uid);
    labels.set("batch.kubernetes.io/job-name", name);
    labels.set("controller-uid", uid);
    labels.set("job-name", name);
    Value& selector = object_at(spec, "selector");
    const Value* chosen = selector.find("matchLabels");
    if (chosen == nullptr || chosen->find("batch.kubernetes.io/controller-uid") == nullptr) {
        object_at(selector, "matchLabels").set("batch.kubernetes.io/controller-uid", uid);
    }
}

void prepare_new_namespace(Value& space) {
    Value& spec = object_at(space, "spec");
    auto finalizers = items_of(spec.find("finalizers"));
    if (std::find(finalizers.begin(), finalizers.end(), Value("kubernetes")) == finalizers.end()) {
        finalizers.emplace_back("kubernetes");
    }
    spec.set("finalizers", std::move(finalizers));
    space.set("status", Object{{"phase", "Active"}});
}

std::string_view quality_of_service(const Value& pod);

void prepare_new_pod(Value& pod) {
    pod.set(
        "status", Object{{"phase", "Pending"}, {"qosClass", std::string(quality_of_service(pod))}}
    );
}

bool is_zero_quantity(const Value& amount) {
    const auto text = amount.is_string() ? amount.as_string() : json::print(amount);
    return text.find_first_not_of("0.mkMGTPEinu") == std::string::npos;
}

/// Whether the container's limits set both cpu and memory, and its requests, where it has any,
/// equal them.
bool is_guaranteed(const Value& container) {
    const Value* limits = container.find_path({"resources", "limits"});
    for (const auto* name : {"cpu", "memory"}) {
        const Value* limit = limits == nullptr ? nullptr : limits->find(name);
        if (limit == nullptr || is_zero_quantity(*limit)) {
            return false;
        }
        const Value* request = container.find_path({"resources", "requests", name});
        if (request != nullptr && !(*request == *limit)) {
            return false;
        }
    }
    return true;
}

bool asks_for_something(const Value& container) {
    for (const auto* side : {"requests", "limits"}) {
        for (const auto* name : {"cpu", "memory"}) {
            const Value* amount = container.find_path({"resources", side, name});
            if (amount != nullptr && !is_zero_quantity(*amount)) {
                return true;
            }
        }
    }
    return false;
}

std::string_view quality_of_service(const Value& pod) {
    bool all_guaranteed = true;
    bool any_asks = false;
    for (const auto* list : {"containers", "initContainers"}) {
        for (const auto& container : items_of(pod.find_path({"spec", list}))) {
            all_guaranteed = all_guaranteed && is_guaranteed(container);
            any_asks = any_asks || asks_for_something(container);
        }
    }
    if (!any_asks) {
        return "BestEffort";
    }
    return all_guaranteed ? "Guaranteed" : "Burstable";
}

void prepare_status_update(std::string_view kind, const Value& old_object, Value& object) {
    for (const auto& [name, member] : Object(object.as_object())) {
        if (!is_bookkeeping(name, true)) {
            object.erase(name);
        }
    }
    for (const auto& [name, member] : old_object.as_object()) {
        if (!is_bookkeeping(name, true)) {
            object.set(name, member);
        }
    }
    Value& metadata = object_at(object, "metadata");
    const Value old_metadata =
        old_object.find("metadata") == nullptr ? Value(Object{}) : *old_object.find("metadata");
    if (kind == "Pod") {
        copy_member(old_metadata, metadata, "deletionTimestamp");
        copy_member(old_metadata, metadata, "ownerReferences");
        if (const Value* quality = old_object.find_path({"status", "qosClass"})) {
            object_at(object, "status").set("qosClass", *quality);
        }
    } else if (kind == "Deployment") {
        copy_member(old_metadata, metadata, "labels");
    } else if (kind == "CustomResourceDefinition") {
        const Value managed =
            metadata.find("managedFields") == nullptr ? Value() : *metadata.find("managedFields");
        const auto version = std::string(metadata.string_at("resourceVersion"));
        metadata = old_metadata;
        metadata.set("managedFields", managed);
        metadata.set("resourceVersion", version);
    }
}

}  // namespace

void prepare_for_create(std::string_view group, std::string_view kind, Value& object) {
    const auto& rules = rules_of(group, kind);
    if (rules.has_status && !rules.keeps_new_status) {
        if (object.find("status") != nullptr) {
            object.set("status", Object{});
        }
    }
    if (rules.counts) {
        set_generation(object, 1);
    } else {
        object_at(object, "metadata").erase("generation");
    }
    if (group == "batch" && kind == "Job") {
        generate_job_selector(object);
    } else if (group.empty() && kind == "Namespace") {
        prepare_new_namespace(object);
    } else if (group.empty() && kind == "Pod") {
        prepare_new_pod(object);
    }
}

void prepare_for_update(
    std::string_view group,
    std::string_view kind,
    std::string_view subresource,
    const Value& old_object,
    Value& object
) {
    const auto& rules = rules_of(group, kind);
    if (subresource == "status") {
        prepare_status_update(kind, old_object, object);
        keep_generation(old_object, object, false);
        return;
    }
    if (rules.has_status) {
        copy_member(old_object, object, "status");
    }
    if (group.empty() && kind == "Namespace" && subresource != "finalize") {
        copy_member(old_object, object, "spec");
    }
    bool changed = rules.counts && differ_in_spec(old_object, object, rules.has_status);
    if (group == "apps" && kind == "Deployment") {
        const Value* before = old_object.find_path({"metadata", "annotations"});
        const Value* after = object.find_path({"metadata", "annotations"});
        const bool same =
            before == nullptr || after == nullptr ? before == after : *before == *after;
        changed = changed || !same;
    }
    keep_generation(old_object, object, changed);
}

void prepare_custom_for_create(bool has_status_subresource, Value& object) {
    if (has_status_subresource) {
        object.erase("status");
    }
    set_generation(object, 1);
}

void prepare_custom_for_update(
    bool has_status_subresource,
    std::string_view subresource,
    const Value& old_object,
    Value& object
) {
    if (subresource == "status") {
        Value kept = old_object;
        copy_member(object, kept, "status");
        const Value* metadata = object.find("metadata");
        if (metadata != nullptr) {
            copy_member(*metadata, object_at(kept, "metadata"), "managedFields");
            copy_member(*metadata, object_at(kept, "metadata"), "resourceVersion");
        }
        object = std::move(kept);
        return;
    }
    if (has_status_subresource) {
        copy_member(old_object, object, "status");
    }
    keep_generation(old_object, object, differ_in_spec(old_object, object, has_status_subresource));
}

}  // namespace sluice::apiserver
