#include "apiserver/defaults/write_preparation.hpp"

#include "api/kueue/kueue_names.hpp"
#include "apiserver/objects/values.hpp"
#include "apiserver/types/builtin_schemas.hpp"
#include "base/sha1.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
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
    /// metadata.generation is incremented by changes outside of metadata and status.
    bool counts = false;
    /// The status of a new object is kept.
    bool keeps_new_status = false;
};

constexpr std::array<KindRules, 39> kKindRules{{
    {"", "Namespace", true, false, false},
    {"", "PodTemplate", false, true, false},
    {"", "Node", true, false, true},
    {"", "Pod", true, true, false},
    {"", "Service", true, false, true},
    {"", "PersistentVolume", true, false, false},
    {"", "PersistentVolumeClaim", true, false, false},
    {"", "ReplicationController", true, true, false},
    {"", "ResourceQuota", true, false, false},
    {"admissionregistration.k8s.io", "MutatingAdmissionPolicy", false, true, false},
    {"admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding", false, true, false},
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
    {"certificates.k8s.io", "CertificateSigningRequest", true, false, false},
    {"discovery.k8s.io", "EndpointSlice", false, true, false},
    {"flowcontrol.apiserver.k8s.io", "FlowSchema", true, true, false},
    {"flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration", true, true, false},
    {"networking.k8s.io", "Ingress", true, true, false},
    {"networking.k8s.io", "IngressClass", false, true, false},
    {"networking.k8s.io", "NetworkPolicy", false, true, false},
    {"networking.k8s.io", "ServiceCIDR", true, false, false},
    {"policy", "PodDisruptionBudget", true, true, false},
    {"resource.k8s.io", "DeviceClass", false, true, false},
    {"resource.k8s.io", "ResourceClaim", true, false, false},
    {"resource.k8s.io", "ResourceSlice", false, true, false},
    {"storage.k8s.io", "CSIDriver", false, false, false},
    {"storage.k8s.io", "VolumeAttachment", true, false, false},
    {"scheduling.k8s.io", "PriorityClass", false, false, false},
}};

const KindRules& kind_rules_of(std::string_view group, std::string_view kind) {
    static constexpr KindRules kNone;
    const auto* found = std::find_if(kKindRules.begin(), kKindRules.end(), [&](const auto& rules) {
        return rules.group == group && rules.kind == kind;
    });
    return found == kKindRules.end() ? kNone : *found;
}

/// Sets a member to its value in the other object; removes the member if the other object lacks it.
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

/// Sets the labels and the selector by which a Job's pods are found: the Job's uid.
void generate_job_selector(Value& job) {
    const Value* metadata = job.find("metadata");
    Value& spec = object_at(job, "spec");
    if (is_true(spec, "manualSelector")) {
        return;
    }
    const std::string uid(metadata->string_at("uid"));
    const std::string name(metadata->string_at("name"));
    Value& labels = object_at(object_at(object_at(spec, "template"), "metadata"), "labels");
    const Value before = labels;
    labels.set("batch.kubernetes.io/controller-uid", uid);
    labels.set("batch.kubernetes.io/job-name", name);
    labels.set("controller-uid", uid);
    labels.set("job-name", name);
    // A Job whose labels are empty or were copied from its template gets the generated ones, too.
    Value& own = object_at(object_at(job, "metadata"), "labels");
    if (own.as_object().empty() || own == before) {
        own = labels;
    }
    Value& selector = object_at(object_at(spec, "selector"), "matchLabels");
    set_default(selector, "batch.kubernetes.io/controller-uid", uid);
}

void prepare_new_namespace(Value& space) {
    Value& spec = object_at(space, "spec");
    auto finalizers = items_of(spec.find("finalizers"));
    if (std::find(finalizers.begin(), finalizers.end(), Value("kubernetes")) == finalizers.end()) {
        finalizers.emplace_back("kubernetes");
    }
    spec.set("finalizers", std::move(finalizers));
    space.set("status", Object{{"phase", api::condition::kActive}});
}

std::string_view quality_of_service(const Value& pod);

/// Raises a negative grace period of a pod to one second.
void raise_grace_period(Value& pod) {
    Value& spec = object_at(pod, "spec");
    if (int_at(spec, "terminationGracePeriodSeconds", 0) < 0) {
        spec.set("terminationGracePeriodSeconds", 1);
    }
}

/// Makes dataSource and dataSourceRef of a claim consistent: each is copied to the other if that
/// one is missing. dataSource can refer only to claims and snapshots in the same namespace; any
/// other reference there is dropped.
void normalize_data_sources(Value& spec) {
    const Value* foreign = spec.find("dataSourceRef");
    if (foreign != nullptr && !foreign->string_at("namespace").empty()) {
        spec.erase("dataSourceRef");  // its feature gate is off
    }
    const Value* source = spec.find("dataSource");
    if (source != nullptr) {
        const auto group = source->string_at("apiGroup");
        const auto kind = source->string_at("kind");
        const bool is_known = (group.empty() && kind == "PersistentVolumeClaim") ||
                              (group == "snapshot.storage.k8s.io" && kind == "VolumeSnapshot");
        if (!is_known) {
            spec.erase("dataSource");
        }
    }
    source = spec.find("dataSource");
    const Value* reference = spec.find("dataSourceRef");
    if (source != nullptr && reference == nullptr) {
        const Value copied = *source;
        spec.set("dataSourceRef", copied);
    } else if (reference != nullptr && source == nullptr) {
        const Value copied = *reference;
        spec.set("dataSource", copied);
    }
}

void prepare_new_pod(Value& pod) {
    raise_grace_period(pod);
    Object status{{"phase", "Pending"}, {"qosClass", std::string(quality_of_service(pod))}};
    if (!items_of(pod.find_path({"spec", "schedulingGates"})).empty()) {
        const Value* metadata = pod.find("metadata");
        json::Array conditions{Object{
            {"type", "PodScheduled"},
            {"status", "False"},
            {"lastProbeTime", Value()},
            {"lastTransitionTime", std::string(metadata->string_at("creationTimestamp"))},
            {"reason", "SchedulingGated"},
            {"message", "Scheduling is blocked due to non-empty scheduling gates"},
        }};
        status.emplace_back("conditions", std::move(conditions));
    }
    pod.set("status", std::move(status));
}

bool is_zero_quantity(const Value& amount) {
    const auto text = amount.is_string() ? amount.as_string() : json::print(amount);
    return text.find_first_not_of("0.mkMGTPEinu") == std::string::npos;
}

/// Returns true if the limits set both cpu and memory, and the requests, if any, are equal to them.
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
    const Value& spec = *pod.find("spec");
    if (spec.find("resources") != nullptr) {
        // Only the pod-level resources count.
        return !asks_for_something(spec) ? "BestEffort"
               : is_guaranteed(spec)     ? "Guaranteed"
                                         : "Burstable";
    }
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

/// Returns the status of an object that does not have one yet, as Go prints it.
Value zero_status(std::string_view group, std::string_view kind, const Value& otherwise) {
    const auto schema = builtin_schema(group, "v1", kind);
    const SchemaProperty* status = schema == nullptr ? nullptr : schema->property("status");
    return status == nullptr ? otherwise : zero_object(*status->schema);
}

/// Returns true for kinds whose status updates do not write metadata.
bool keeps_metadata_with_status(std::string_view kind) {
    constexpr std::array<std::string_view, 5> kSuch{
        "CustomResourceDefinition", "FlowSchema", "ResourceClaim", "ServiceCIDR", "VolumeAttachment"
    };
    return std::ranges::find(kSuch, kind) != kSuch.end();
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
    } else if (keeps_metadata_with_status(kind)) {
        const Value managed =
            metadata.find("managedFields") == nullptr ? Value() : *metadata.find("managedFields");
        const auto version = std::string(metadata.string_at("resourceVersion"));
        metadata = old_metadata;
        metadata.set("managedFields", managed);
        metadata.set("resourceVersion", version);
    }
}

/// Prepares an update of a subresource that is a part of a pod or of a CertificateSigningRequest:
/// restores everything but that part. Returns false for other subresources.
bool prepare_part_update(std::string_view part, const Value& old_object, Value& object) {
    if (part != "approval" && part != "ephemeralcontainers" && part != "resize") {
        return false;
    }
    const Value given = object;
    const Value* metadata = given.find("metadata");
    object = old_object;
    if (metadata != nullptr) {
        object.set("metadata", *metadata);
    }
    const Value none = Object{};
    const Value* spec = given.find("spec");
    const Value* status = given.find("status");
    if (part == "approval") {
        copy_member(status == nullptr ? none : *status, object_at(object, "status"), "conditions");
    } else if (part == "ephemeralcontainers") {
        copy_member(
            spec == nullptr ? none : *spec, object_at(object, "spec"), "ephemeralContainers"
        );
    } else if (Value* containers = object_at(object, "spec").find("containers")) {
        const auto& sizes = items_of(spec == nullptr ? nullptr : spec->find("containers"));
        for (std::size_t i = 0; i < std::min(sizes.size(), containers->as_array().size()); ++i) {
            copy_member(sizes[i], containers->as_array()[i], "resources");
        }
    }
    return true;
}

void prepare_new_definition(Value& definition) {
    json::Array stored;
    for (const auto& version : items_of(definition.find_path({"spec", "versions"}))) {
        if (is_true(version, "storage")) {
            stored.emplace_back(std::string(version.string_at("name")));
        }
    }
    Value& status = object_at(definition, "status");
    status.set("conditions", Value());
    status.set("storedVersions", std::move(stored));
}

/// Sets the annotation that counts the templates of a DaemonSet.
void set_template_generation(Value& daemon_set, std::int64_t generation) {
    object_at(object_at(daemon_set, "metadata"), "annotations")
        .set("deprecated.daemonset.template.generation", std::to_string(generation));
}

void count_template_generation(const Value& old_object, Value& daemon_set) {
    const Value* was =
        old_object.find_path({"metadata", "annotations", "deprecated.daemonset.template.generation"}
        );
    std::int64_t generation = 0;
    if (was != nullptr && was->is_string()) {
        const auto& text = was->as_string();
        std::from_chars(text.data(), text.data() + text.size(), generation);
    }
    const Value* old_template = old_object.find_path({"spec", "template"});
    const Value* now = daemon_set.find_path({"spec", "template"});
    const bool same = old_template != nullptr && now != nullptr && *old_template == *now;
    set_template_generation(daemon_set, generation + (same ? 0 : 1));
}

void prepare_new(std::string_view group, std::string_view kind, Value& object) {
    if (group == "batch" && kind == "Job") {
        generate_job_selector(object);
    } else if (group == "apps" && kind == "DaemonSet") {
        set_template_generation(object, 1);
    } else if (kind == "CustomResourceDefinition") {
        prepare_new_definition(object);
    } else if (!group.empty()) {
        return;
    } else if (kind == "Namespace") {
        prepare_new_namespace(object);
    } else if (kind == "Pod") {
        prepare_new_pod(object);
    } else if (kind == "PersistentVolumeClaim") {
        normalize_data_sources(object_at(object, "spec"));
        object.set("status", Object{{"phase", "Pending"}});
    } else if (kind == "PersistentVolume") {
        const Value* metadata = object.find("metadata");
        object.set(
            "status",
            Object{
                {"phase", "Pending"},
                {"lastPhaseTransitionTime", std::string(metadata->string_at("creationTimestamp"))}
            }
        );
    }
}

void give_cluster_address(Value& service) {
    Value& spec = object_at(service, "spec");
    if (spec.string_at("type") == "ExternalName" || !spec.string_at("clusterIP").empty()) {
        return;
    }
    // The address leads nowhere, but clients such as helm wait until a Service has one.
    const Value& metadata = *service.find("metadata");
    const std::string hash = sha1_hex(
        std::string(metadata.string_at("namespace")) + "/" + std::string(metadata.string_at("name"))
    );
    const auto number = std::stoul(hash.substr(0, 5), nullptr, 16);
    const std::string address =
        fmt::format("10.{}.{}.{}", 96 + (number >> 16U), (number >> 8U) & 0xffU, number & 0xffU);
    spec.set("clusterIP", address);
    spec.set("clusterIPs", json::Array{address});
}

void keep_cluster_address(const Value& old_service, Value& service) {
    Value& spec = object_at(service, "spec");
    const Value& old_spec = *old_service.find("spec");
    if (spec.string_at("type") != "ExternalName" && spec.string_at("clusterIP").empty()) {
        copy_member(old_spec, spec, "clusterIP");
        copy_member(old_spec, spec, "clusterIPs");
    }
}

}  // namespace

void prepare_for_create(std::string_view group, std::string_view kind, Value& object) {
    const auto& rules = kind_rules_of(group, kind);
    if (rules.has_status && !rules.keeps_new_status) {
        if (const Value* status = object.find("status")) {
            object.set("status", zero_status(group, kind, *status));
        }
    }
    if (rules.counts || kind == "PriorityClass") {
        set_generation(object, 1);
    } else {
        object_at(object, "metadata").erase("generation");
    }
    prepare_new(group, kind, object);
    if (group.empty() && kind == "Service") {
        give_cluster_address(object);
    }
}

void prepare_for_update(
    std::string_view group,
    std::string_view kind,
    std::string_view subresource,
    const Value& old_object,
    Value& object
) {
    const auto& rules = kind_rules_of(group, kind);
    if (subresource == "status") {
        prepare_status_update(kind, old_object, object);
        keep_generation(old_object, object, false);
        return;
    }
    if (prepare_part_update(subresource, old_object, object)) {
        keep_generation(
            old_object, object, rules.counts && differ_in_spec(old_object, object, true)
        );
        return;
    }
    if (rules.has_status) {
        copy_member(old_object, object, "status");
    }
    if (group.empty() && kind == "Pod") {
        raise_grace_period(object);
    }
    if (group.empty() && kind == "Service") {
        keep_cluster_address(old_object, object);
    }
    if (group.empty() && kind == "PersistentVolumeClaim") {
        normalize_data_sources(object_at(object, "spec"));
    }
    if (group.empty() && kind == "Namespace" && subresource != "finalize") {
        copy_member(old_object, object, "spec");
    }
    if (group == "apps" && kind == "DaemonSet") {
        count_template_generation(old_object, object);
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
