#include "controller/jobs/admission/job_defaults.hpp"

#include "api/kueue/kueue_names.hpp"
#include "controller/jobs/job/default_queue.hpp"
#include "controller/jobs/job/job_ancestors.hpp"

namespace sluice::controller {

namespace {

constexpr std::string_view kDefault = "default";

void set_object_label(json::Value& object, const char* key, std::string_view value) {
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
    set_object_label(object, key, value);
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
        !is_owned_by_job(context.kinds, context.stores, job) &&
        context.stores.of<api::WorkloadPriorityClass>().find(kDefault)) {
        set_label(object, job, api::label::kPriorityClass, kDefault);
    }
}

Result<void> default_queue(
    const AdmissionContext& context, json::Value& object, api::ObjectMeta& job
) {
    if (is_labelled(job, api::label::kQueueName) ||
        !find_default_queue(context.stores, job.namespace_) ||
        is_owned_by_job(context.kinds, context.stores, job)) {
        return {};
    }
    const auto is_managed = is_managed_namespace(context, job.namespace_);
    if (!is_managed) {
        return is_managed.error();
    }
    if (*is_managed) {
        set_label(object, job, api::label::kQueueName, kDefaultQueue);
    }
    return {};
}

Result<Waits> find_wait(const AdmissionContext& context, const api::ObjectMeta& job) {
    // The garbage collector removes finalizers from objects whose owner may be gone already.
    if (job.deletion_timestamp &&
        context.gates.is_enabled(config::Feature::SkipAncestorCheckForDeletedWorkloads)) {
        return Waits::ForNone;
    }
    const auto ancestor =
        find_managed_ancestor(context.kinds, context.stores, context.settings, job);
    if (!ancestor) {
        return Error{ErrorCode::Unavailable, ancestor.error().detail, {}};
    }
    if (ancestor->has_value()) {
        return Waits::ForOneAbove;
    }
    if (!asks_to_be_managed(job, context.settings)) {
        return Waits::ForNone;
    }
    const auto is_managed = is_managed_namespace(context, job.namespace_);
    if (!is_managed) {
        return is_managed.error();
    }
    return *is_managed ? Waits::ForItsOwn : Waits::ForNone;
}

}  // namespace sluice::controller
