#include "controller/jobs/pod/pod_resize.hpp"

#include "api/core/effective_requests.hpp"
#include "api/kueue/kueue_names.hpp"
#include "api/meta/codec.hpp"
#include "controller/jobs/admission/job_defaults.hpp"
#include "controller/jobs/job/job_ancestors.hpp"
#include "controller/jobs/job/semantic_equality.hpp"
#include "controller/jobs/members/pod_size.hpp"
#include "controller/jobs/members/pod_state.hpp"
#include "controller/reconcile/owned_workloads.hpp"
#include "controller/reconcile/workload_status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace sluice::controller {

namespace {

using webhook::Verdict;

/// The requests that count for a pod.
struct Counted {
    std::string by;                             ///< the object that counts, for messages
    std::optional<api::ResourceList> requests;  ///< nullopt if unknown
};

using FoundCount = Result<std::optional<Counted>>;

api::ResourceList requested_by(const api::Pod& pod) {
    return api::pod_requests(api::effective_resources(pod.spec));
}

Counted count_of(const Stores& stores, const api::Workload& workload, std::string_view pod_set) {
    const auto& all = workload.spec.pod_sets;
    const auto found = std::ranges::find(all, pod_set, &api::PodSet::name);
    Counted counted{.by = "Workload " + workload.metadata.name, .requests = {}};
    if (found != all.end()) {
        counted.requests =
            counted_requests(stores, workload.metadata.namespace_, found->template_->spec);
    }
    return counted;
}

/// Finds the count for a pod that is a job, alone or as a member of a group.
std::optional<Counted> find_own_count(const AdmissionContext& context, const api::Pod& pod) {
    const bool by_annotation = context.settings.workload_identifier_annotations;
    for (const auto& workload :
         workloads_of_object(context.stores, key_of(pod), pod.metadata.uid)) {
        if (!is_finished(*workload) && !workload->spec.pod_sets.empty()) {
            return count_of(context.stores, *workload, workload->spec.pod_sets.front().name);
        }
    }
    if (!is_marked_managed(pod.metadata) && !has_suspending_parent(pod.metadata)) {
        return std::nullopt;
    }
    const auto workload = find_group_workload(
        context.stores,
        pod.metadata.namespace_,
        {workload_name_of_group(
            pod.metadata, pod_group_of(pod.metadata, by_annotation), by_annotation
        )}
    );
    return workload ? count_of(context.stores, *workload, role_of(pod))
                    : Counted{.by = "its job", .requests = {}};
}

/// Returns the Job that created the pod: its controller or, if that reference was removed, the Job
/// that the labels name.
std::shared_ptr<const api::Job> find_maker_job(const Stores& stores, const api::ObjectMeta& pod) {
    const api::OwnerReference* owner = pod.controller_owner();
    const bool is_job = owner != nullptr && owner->kind == api::Job::kKind &&
                        kube::group_of(owner->api_version) == kind_of<api::Job>().group();
    if (stores.find(kind_of<api::Job>()) == nullptr || (owner != nullptr && !is_job)) {
        return nullptr;
    }
    const std::string_view name = is_job ? std::string_view(owner->name)
                                         : find_value(pod.labels, "batch.kubernetes.io/job-name");
    const std::string_view uid = is_job
                                     ? std::string_view(owner->uid)
                                     : find_value(pod.labels, "batch.kubernetes.io/controller-uid");
    auto job = stores.of<api::Job>().find(pod.namespace_, name);
    return job && job->metadata.uid == uid ? std::move(job) : nullptr;
}

/// Finds the count for a pod of a managed job, or of a job below one.
FoundCount find_count_of_job(const AdmissionContext& context, const api::Pod& pod) {
    const std::string_view pod_set = find_value(pod.metadata.labels, api::label::kPodSet);
    api::ObjectMeta metadata = pod.metadata;
    const auto job = find_maker_job(context.stores, metadata);
    if (job && metadata.controller_owner() == nullptr) {
        metadata.owner_references.push_back({
            .api_version = std::string(kind_of<api::Job>().api_version()),
            .kind = std::string(api::Job::kKind),
            .name = job->metadata.name,
            .uid = job->metadata.uid,
            .controller = true,
        });
    }
    const auto ancestor =
        find_managed_ancestor(context.kinds, context.stores, context.settings, metadata);
    if (!ancestor) {
        return Error{ErrorCode::Unavailable, ancestor.error().detail, {}};
    }
    const std::optional<ObjectKey>& above = *ancestor;
    std::shared_ptr<const api::Workload> workload;
    if (above) {
        workload = find_counting_workload(context.stores, *above);
    } else {
        // The pod's job may be gone.
        workload = context.stores.of<api::Workload>().find(
            metadata.namespace_, find_value(metadata.annotations, api::annotation::kWorkload)
        );
        if (!workload || !holds_quota(*workload)) {
            return std::optional<Counted>();
        }
    }
    if (above && job) {
        return std::optional(Counted{
            .by = "Job " + job->metadata.name,
            .requests =
                counted_requests(context.stores, metadata.namespace_, job->spec.template_.spec),
        });
    }
    return std::optional(
        workload ? count_of(context.stores, *workload, pod_set)
                 : Counted{.by = "its job", .requests = {}}
    );
}

api::Quantity amount_of(const api::ResourceList& list, const std::string& resource) {
    const auto found = list.find(resource);
    return found == list.end() ? api::Quantity() : found->second;
}

/// Returns the pod's spec with the resources of the template's containers.
json::Value with_resources_of(json::Value spec, const json::Value& counted) {
    const auto copy = [](json::Value& to, const json::Value& from) {
        if (const json::Value* resources = from.find("resources")) {
            to.set("resources", *resources);
        } else if (to.find("resources") != nullptr) {
            to.erase("resources");
        }
    };
    for (const char* field : {"containers", "initContainers"}) {
        json::Value* own = spec.find(field);
        const json::Value* other = counted.find(field);
        if (own == nullptr || other == nullptr || !own->is_array() || !other->is_array()) {
            continue;
        }
        json::Array& containers = own->as_array();
        const std::size_t count = std::min(containers.size(), other->as_array().size());
        for (std::size_t i = 0; i < count; ++i) {
            if (containers[i].is_object() && other->as_array()[i].is_object()) {
                copy(containers[i], other->as_array()[i]);
            }
        }
    }
    copy(spec, counted);
    return spec;
}

}  // namespace

Result<Verdict> judge_resize(
    const AdmissionContext& context, const api::AdmissionRequest& request
) {
    auto after = api::decode<api::Pod>(request.object.view());
    auto before = api::decode<api::Pod>(request.old_object.view());
    if (!after || !before) {
        return after ? with_context(before.error(), "oldObject") : after.error();
    }
    before->metadata.namespace_ = request.namespace_;
    const auto is_managed = is_managed_namespace(context, request.namespace_);
    if (!is_managed) {
        return is_managed.error();
    }
    if (!*is_managed) {
        return Verdict();
    }
    std::optional<Counted> counted = find_own_count(context, *before);
    if (!counted) {
        auto of_job = find_count_of_job(context, *before);
        if (!of_job) {
            return of_job.error();
        }
        counted = std::move(*of_job);
    }
    if (!counted) {
        return Verdict();
    }
    const api::ResourceList present = requested_by(*before);
    for (const auto& [resource, asked] : requested_by(*after)) {
        const api::Quantity now = amount_of(present, resource);
        const api::Quantity limit =
            counted->requests ? amount_of(*counted->requests, resource) : now;
        if (asked > limit && asked > now) {
            return Verdict{
                .refusal = fmt::format(
                    "pod {} cannot be resized to {} of {}: {} counts {} for it; ask for no more, "
                    "or change the job so that it is admitted with more",
                    before->metadata.name,
                    asked.to_string(),
                    resource,
                    counted->by,
                    limit.to_string()
                ),
                .changed = {},
                .warnings = {},
            };
        }
    }
    return Verdict();
}

bool is_resized_within(const api::Pod& pod, const api::PodTemplateSpec& counted) {
    auto spec = json::parse(pod.raw_spec.view());
    const auto pod_template = json::parse(counted.raw.view());
    const json::Value* other = pod_template ? pod_template->find("spec") : nullptr;
    if (!spec || !spec->is_object() || other == nullptr || asks_for_more(pod.spec, counted.spec)) {
        return false;
    }
    api::PodTemplateSpec as_counted;
    as_counted.raw =
        api::RawJson(json::print(json::Object{{"spec", with_resources_of(std::move(*spec), *other)}}
        ));
    return are_templates_equal(as_counted, counted, Tolerations::Ignored);
}

}  // namespace sluice::controller
