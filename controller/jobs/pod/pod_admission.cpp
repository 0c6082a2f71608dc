#include "controller/jobs/pod/pod_admission.hpp"

#include "api/core/effective_requests.hpp"
#include "api/kueue/kueue_names.hpp"
#include "api/meta/codec.hpp"
#include "api/meta/label_selector.hpp"
#include "controller/jobs/admission/child_room.hpp"
#include "controller/jobs/admission/job_defaults.hpp"
#include "controller/jobs/job/default_queue.hpp"
#include "controller/jobs/job/job_ancestors.hpp"
#include "controller/jobs/job/object_members.hpp"
#include "controller/jobs/members/pod_state.hpp"
#include "controller/jobs/members/role_hash.hpp"
#include "controller/jobs/pod/pod_group.hpp"
#include "controller/jobs/pod/single_pod.hpp"
#include "validation/job_rules.hpp"
#include "validation/metadata_rules.hpp"
#include "validation/topology_request_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace sluice::controller {

namespace {

using api::FieldErrors;
using config::Feature;
using config::FeatureGates;
using webhook::Verdict;

constexpr std::string_view kTrue = "true";
constexpr std::string_view kKindName = "/v1, Kind=Pod";

std::string label_path(const char* key) {
    return fmt::format("metadata.labels[{}]", key);
}
std::string annotation_field(const char* key) {
    return fmt::format("metadata.annotations[{}]", key);
}

void add_gate(json::Value& object, const char* name) {
    json::Array& gates = list_at(object_at(object, {"spec"}), "schedulingGates").as_array();
    const auto is_it = [name](const json::Value& gate) { return gate.string_at("name") == name; };
    if (std::ranges::none_of(gates, is_it)) {
        gates.emplace_back(json::Object{{"name", name}});
    }
}

void add_finalizer(json::Value& object) {
    json::Array& finalizers = list_at(object_at(object, {"metadata"}), "finalizers").as_array();
    const json::Value own(api::finalizer::kManaged);
    if (std::ranges::find(finalizers, own) == finalizers.end()) {
        finalizers.push_back(own);
    }
}

/// Returns true if the pod names a Job as its controller, but that Job did not create it, because
/// it does not select it: the Job does not count the pod. False for a pod without requests, because
/// it needs no quota.
bool is_strange_to_its_job(const Stores& stores, const api::Pod& pod) {
    const api::OwnerReference* owner = pod.metadata.controller_owner();
    if (owner == nullptr || owner->kind != api::Job::kKind ||
        kube::group_of(owner->api_version) != kind_of<api::Job>().group() ||
        stores.find(kind_of<api::Job>()) == nullptr ||
        api::pod_requests(api::effective_resources(pod.spec)).empty()) {
        return false;
    }
    const auto job = stores.of<api::Job>().find(pod.metadata.namespace_, owner->name);
    if (!job || job->metadata.uid != owner->uid) {
        return false;
    }
    const auto& selector = job->spec.selector;
    return selector ? !api::matches(*selector, pod.metadata.labels)
                    : find_value(pod.metadata.labels, "batch.kubernetes.io/controller-uid") !=
                          owner->uid;
}

/// Makes the pod a job, in the queue of the job above it unless the pod names a queue. Removes the
/// label and the annotation that the start of that job put into the pod's template.
void detach(
    const Stores& stores, const ObjectKey& above, json::Value& object, api::ObjectMeta& pod
) {
    const api::ObjectMeta* job = stores.find_metadata(above);
    const std::string_view queue =
        job == nullptr ? std::string_view() : find_value(job->labels, api::label::kQueueName);
    if (!queue.empty() && !is_labelled(pod, api::label::kQueueName)) {
        set_label(object, pod, api::label::kQueueName, queue);
    }
    object_at(object, {"metadata", "labels"}).erase(api::label::kPodSet);
    pod.labels.erase(api::label::kPodSet);
    object_at(object, {"metadata", "annotations"}).erase(api::annotation::kWorkload);
    pod.annotations.erase(api::annotation::kWorkload);
}

/// Returns true if a new pod, which no other integration gates, has to wait for its own admission.
/// If so, sets its queue, its priority class and the label `managed`.
Result<bool> take_over(
    const AdmissionContext& context,
    json::Value& object,
    api::ObjectMeta& pod,
    const api::Pod& as_written
) {
    if (context.settings.manages_held_pods_alone) {
        return false;
    }
    auto is_managed = is_managed_namespace(context, pod.namespace_);
    if (!is_managed || !*is_managed) {
        return is_managed;
    }
    const auto ancestor =
        find_managed_ancestor(context.kinds, context.stores, context.settings, pod);
    if (!ancestor) {
        return Error{ErrorCode::Unavailable, ancestor.error().detail, {}};
    }
    const std::optional<ObjectKey>& above = *ancestor;
    if (above && !is_strange_to_its_job(context.stores, as_written)) {
        if (!find_pod_excess(context.kinds, context.stores, context.settings, *above, as_written)) {
            return false;
        }
        detach(context.stores, *above, object, pod);
    }
    if (!is_labelled(pod, api::label::kQueueName) &&
        find_default_queue(context.stores, pod.namespace_)) {
        set_label(object, pod, api::label::kQueueName, kDefaultQueue);
    }
    if (!is_labelled(pod, api::label::kQueueName) &&
        !context.settings.manage_jobs_without_queue_name) {
        return false;
    }
    default_priority_class(context, object, pod);
    set_label(object, pod, api::label::kManaged, kTrue);
    return true;
}

/// Copies the pod's rank from the label that an annotation names.
void copy_pod_index(json::Value& object, api::ObjectMeta& pod) {
    const std::string* source = pod.find_annotation(api::annotation::kPodGroupPodIndexLabel);
    if (source != nullptr) {
        const std::string rank(find_value(pod.labels, *source));
        set_label(object, pod, api::label::kPodGroupPodIndex, rank);
    }
}

void hold_back(json::Value& object, api::ObjectMeta& pod, const FeatureGates& gates) {
    if (!has_suspending_parent(pod)) {
        add_finalizer(object);
    }
    add_gate(object, api::scheduling_gate::kAdmission);
    if (gates.is_enabled(Feature::TopologyAwareScheduling)) {
        copy_pod_index(object, pod);
        add_gate(object, api::scheduling_gate::kTopology);
    }
    json::Value& annotations = object_at(object, {"metadata", "annotations"});
    if (annotations.find(api::annotation::kRoleHash) == nullptr) {
        annotations.set(api::annotation::kRoleHash, role_hash(object_at(object, {"spec"})));
    }
}

/// Reads the pod of a request. Sets the namespace that it will have.
Result<std::shared_ptr<api::Pod>> read_pod(std::string_view json, const std::string& ns) {
    auto pod = api::decode<api::Pod>(json);
    if (!pod) {
        return pod.error();
    }
    auto shared = std::make_shared<api::Pod>(std::move(*pod));
    if (shared->metadata.namespace_.empty()) {
        shared->metadata.namespace_ = ns;
    }
    return shared;
}

bool is_named_by_annotation(const FeatureGates& gates) {
    return gates.is_enabled(Feature::WorkloadIdentifierAnnotations);
}

/// Returns true if the annotation, and not the label, names the pod's group.
bool has_annotated_group(const api::ObjectMeta& pod, const FeatureGates& gates) {
    return is_named_by_annotation(gates) &&
           !find_value(pod.annotations, api::annotation::kPodGroupName).empty();
}

std::string group_path(const api::ObjectMeta& pod, const FeatureGates& gates) {
    return has_annotated_group(pod, gates) ? annotation_field(api::annotation::kPodGroupName)
                                           : label_path(api::label::kPodGroupName);
}

FieldErrors validate_group(const api::ObjectMeta& pod, const FeatureGates& gates) {
    constexpr const char* kTotal = api::annotation::kPodGroupTotalCount;
    const std::string* total = pod.find_annotation(kTotal);
    const std::string_view group = pod_group_of(pod, is_named_by_annotation(gates));
    const std::string both = fmt::format(
        "both the '{}' annotation and the '{}' {} should be set",
        kTotal,
        api::annotation::kPodGroupName,
        has_annotated_group(pod, gates) ? "annotation" : "label"
    );
    FieldErrors errors;
    if (group.empty() && total != nullptr) {
        errors.push_back(api::FieldError::required(group_path(pod, gates), both));
        return errors;
    }
    if (group.empty()) {
        return errors;
    }
    api::append(errors, validation::validate_subdomain(group, group_path(pod, gates)));
    if (total == nullptr) {
        errors.push_back(api::FieldError::required(annotation_field(kTotal), both));
        return errors;
    }
    if (const auto count = group_total_count(pod); !count) {
        errors.push_back(
            api::FieldError::invalid(annotation_field(kTotal), *total, count.error().detail)
        );
    }
    return errors;
}

FieldErrors validate_prebuilt(const api::ObjectMeta& pod, const FeatureGates& gates) {
    const bool by_annotation = is_named_by_annotation(gates);
    const std::string_view group = pod_group_of(pod, by_annotation);
    const std::string_view prebuilt = validation::prebuilt_workload_name(pod, by_annotation);
    if (group.empty() || prebuilt.empty() || group == prebuilt) {
        return {};
    }
    const bool is_annotated =
        prebuilt == find_value(pod.annotations, api::annotation::kPrebuiltWorkload);
    return {api::FieldError::invalid(
        is_annotated ? annotation_field(api::annotation::kPrebuiltWorkload)
                     : label_path(api::label::kPrebuiltWorkload),
        prebuilt,
        "prebuilt workload and pod group should be equal"
    )};
}

/// Checks the rules for new and changed pods.
FieldErrors validate_pod(const api::ObjectMeta& pod, const FeatureGates& gates) {
    FieldErrors errors;
    const std::string* mark = pod.find_label(api::label::kManaged);
    if (mark != nullptr && *mark != kTrue) {
        errors.push_back(api::FieldError::forbidden(
            label_path(api::label::kManaged), "managed label value can only be 'true'"
        ));
    }
    api::append(errors, validate_group(pod, gates));
    api::append(errors, validation::validate_topology_annotations(pod, "metadata", gates));
    api::append(errors, validate_prebuilt(pod, gates));
    return errors;
}

/// Checks a change of a pod. `is_held`: the pod had its gate before the change. A pod that runs
/// with its own Workload must not join a group.
FieldErrors validate_pod_update(
    const api::ObjectMeta& before,
    const api::ObjectMeta& after,
    bool is_held,
    const FeatureGates& gates
) {
    constexpr const char* kRetriable = api::annotation::kRetriableInGroup;
    const std::string_view old_group = pod_group_of(before, is_named_by_annotation(gates));
    const std::string_view new_group = pod_group_of(after, is_named_by_annotation(gates));
    FieldErrors errors;
    const auto is_final = [](const api::ObjectMeta& pod) {
        return find_value(pod.annotations, kRetriable) == "false";
    };
    if (!new_group.empty() && is_final(before) && !is_final(after)) {
        errors.push_back(api::FieldError::forbidden(
            annotation_field(kRetriable), "unretriable pod group can't be converted to retriable"
        ));
    }
    const bool is_joining =
        old_group.empty() && !new_group.empty() && !is_held && is_marked_managed(before);
    if ((!old_group.empty() && old_group != new_group) || is_joining) {
        errors.push_back(api::FieldError::immutable(group_path(after, gates), new_group));
    }
    return errors;
}

validation::JobFacts facts_of_pod(const api::Pod& pod) {
    return {
        .metadata = pod.metadata,
        .group_version_kind = std::string(kKindName),
        .is_suspended = is_held_or_over(pod),
        .may_be_prebuilt = true,
        .may_be_elastic = false,
    };
}

class PodAdmission final : public KindAdmission {
  public:
    Result<Verdict> apply_defaults(
        const AdmissionContext& context, const api::AdmissionRequest& request
    ) const override {
        if (request.operation != "CREATE") {
            return Verdict();
        }
        auto object = json::parse(request.object.view());
        const auto pod = read_pod(request.object.view(), request.namespace_);
        if (!object || !pod) {
            return object ? pod.error() : object.error();
        }
        api::ObjectMeta metadata = (*pod)->metadata;
        if (!has_suspending_parent(metadata)) {
            const auto is_taken = take_over(context, *object, metadata, **pod);
            if (!is_taken) {
                return is_taken.error();
            }
            if (!*is_taken) {
                return Verdict();
            }
        }
        hold_back(*object, metadata, context.gates);
        return Verdict{.refusal = {}, .changed = std::move(*object), .warnings = {}};
    }

    /// Checks a new pod by the rules of all jobs and of pods, and a changed pod by the rules for
    /// changes and of pods.
    Result<Verdict> judge(const AdmissionContext& context, const api::AdmissionRequest& request)
        const override {
        if (request.operation != "CREATE" && request.operation != "UPDATE") {
            return Verdict();
        }
        const auto pod = read_pod(request.object.view(), request.namespace_);
        if (!pod) {
            return pod.error();
        }
        const api::ObjectMeta& metadata = (*pod)->metadata;
        FieldErrors errors;
        if (request.operation == "CREATE") {
            errors = validation::validate(facts_of_pod(**pod), context.gates);
            api::append(errors, validate_pod(metadata, context.gates));
        } else {
            const auto before = read_pod(request.old_object.view(), request.namespace_);
            if (!before) {
                return with_context(before.error(), "oldObject");
            }
            const auto queue = find_default_queue(context.stores, metadata.namespace_)
                                   ? validation::DefaultQueue::Present
                                   : validation::DefaultQueue::Absent;
            errors = validation::validate_update(
                facts_of_pod(**before), facts_of_pod(**pod), queue, context.gates
            );
            api::append(errors, validate_pod(metadata, context.gates));
            api::append(
                errors,
                validate_pod_update(
                    (*before)->metadata, metadata, is_held_or_over(**before), context.gates
                )
            );
        }
        Verdict verdict = webhook::make_verdict(errors);
        const bool is_warned = request.operation == "CREATE" || !has_suspending_parent(metadata);
        if (is_warned && is_marked_managed(metadata) &&
            is_owned_by_job(context.kinds, context.stores, metadata)) {
            verdict.warnings.push_back(fmt::format(
                "pod owner is managed by kueue, label '{}=true' might lead to unexpected "
                "behaviour",
                api::label::kManaged
            ));
        }
        return verdict;
    }
};

}  // namespace

const KindAdmission& pod_admission() {
    static const PodAdmission kAdmission;
    return kAdmission;
}

}  // namespace sluice::controller
