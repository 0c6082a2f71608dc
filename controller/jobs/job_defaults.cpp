#include "controller/jobs/job_defaults.hpp"

#include "api/kueue_names.hpp"
#include "controller/jobs/job_ancestors.hpp"

namespace sluice::controller {

namespace {

constexpr std::string_view kDefault = "default";

void set_label(json::Value& object, const char* key, std::string_view value) {
    json::Value* metadata = object.find("metadata");
    if (metadata == nullptr || !metadata->is_object()) {
        metadata = &object.set("metadata", json::Object{});
    }
    json::Value* labels = metadata->find("labels");
    if (labels == nullptr || !labels->is_object()) {
        labels = &metadata->set("labels", json::Object{});
    }
    labels->set(key, value);
}

}  // namespace

Result<bool> is_managed_namespace(const AdmissionContext& context, const std::string& ns) {
    const auto& selector = context.settings.managed_jobs_namespaces;
    if (!selector) {
        return true;
    }
    const auto found = context.stores.of<api::Namespace>().find(ns);
    if (!found) {
        return Error{ErrorCode::Unavailable, "failed to get namespace: " + ns, {}};
    }
    return selector->matches(found->metadata.labels);
}

void set_label(
    json::Value& object, api::ObjectMeta& metadata, const char* key, std::string_view value
) {
    set_label(object, key, value);
    metadata.labels[key] = value;
}

bool is_labelled(const api::ObjectMeta& job, const char* key) {
    return !find_value(job.labels, key).empty();
}

void default_priority_class(
    const AdmissionContext& context, json::Value& object, api::ObjectMeta& job
) {
    if (context.settings.workload_priority_class_defaulting &&
        !is_labelled(job, api::label::kPriorityClass) &&
        !is_owned_by_job(context.kinds, context.settings, job) &&
        context.stores.of<api::WorkloadPriorityClass>().find(kDefault)) {
        set_label(object, job, api::label::kPriorityClass, kDefault);
    }
}

}  // namespace sluice::controller
