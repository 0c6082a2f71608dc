#pragma once

#include "api/core/admission_review.hpp"
#include "api/meta/field_error.hpp"
#include "api/meta/meta.hpp"
#include "controller/jobs/admission/job_admission.hpp"
#include "controller/jobs/job/object_admission.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// What happens to Deployments, StatefulSets and LeaderWorkerSets when they are written. Their pods
/// are held back, not they; what their pods need for that is written into the pod templates.
namespace sluice::controller {

/// An object of a request.
struct ServedObject {
    json::Value value;
    api::ObjectMeta metadata;

    /// The number at a path of member names, or the other one.
    std::int64_t number_at(std::initializer_list<std::string_view> path, std::int64_t otherwise)
        const;
};

/// The object, with the namespace that it will have. Errors: Invalid with the path of a field.
Result<ServedObject> read_served(const api::RawJson& json, const std::string& ns);

/// Gives it the queue and the class named `default` where it names none. Whether its pods wait for
/// their own admission. Errors: as find_wait().
Result<bool> default_served(const AdmissionContext& context, ServedObject& object);

/// Whether its pods wait for their own admission. Errors: as find_wait().
Result<bool> are_pods_held(const AdmissionContext& context, const ServedObject& object);

/// What a change breaks of the rules that these kinds share.
api::FieldErrors validate_served_update(
    const AdmissionContext& context, const ServedObject& before, const ServedObject& after
);

/// The annotations or labels of a pod template, which are made where they are missing.
json::Value& template_map(json::Value& pod_template, std::string_view name);

/// Gives the template the object's queue and priority class, as far as it has them.
void copy_queue_and_class(const api::ObjectMeta& object, json::Value& pod_template);

/// Its pods wait by themselves, each with a Workload of its own.
const ObjectAdmission& deployment_admission();
/// Its pods are one group.
const ObjectAdmission& stateful_set_admission();
/// The pods of each of its replicas are a group.
const ObjectAdmission& leader_worker_set_admission();

}  // namespace sluice::controller
