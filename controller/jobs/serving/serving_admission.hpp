// The webhooks of Deployments, StatefulSets and LeaderWorkerSets.
#pragma once

#include "api/core/admission_review.hpp"
#include "api/meta/field_error.hpp"
#include "api/meta/meta.hpp"
#include "controller/jobs/admission/kind_admission.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// The webhooks of Deployments, StatefulSets and LeaderWorkerSets. Not the objects but their pods
/// are gated; the webhooks write what the pods need for that into the pod templates.
namespace sluice::controller {

/// The object of a request.
struct ServedObject {
    json::Value value;
    api::ObjectMeta metadata;

    /// Returns the number at a path of member names; `otherwise` if no integer is there.
    std::int64_t number_at(std::initializer_list<std::string_view> path, std::int64_t otherwise)
        const;
};

/// Reads the object and sets the namespace that it will have. Errors: Invalid with the path of a
/// field.
Result<ServedObject> read_served(const api::RawJson& json, const std::string& ns);

/// Sets the queue and the priority class named `default` if the object names none. Returns true if
/// its pods wait for their own admission. Errors: as find_wait().
Result<bool> default_served(const AdmissionContext& context, ServedObject& object);

/// Returns true if the object's pods wait for their own admission. Errors: as find_wait().
Result<bool> are_pods_held(const AdmissionContext& context, const ServedObject& object);

/// Returns the errors of a change by the rules that these kinds share.
api::FieldErrors validate_served_update(
    const AdmissionContext& context, const ServedObject& before, const ServedObject& after
);

/// Returns the annotations or labels of a pod template; creates them if they are missing.
json::Value& template_map(json::Value& pod_template, std::string_view name);

/// Copies the object's queue and priority class, if it has them, to the template.
void copy_queue_and_class(const api::ObjectMeta& object, json::Value& pod_template);

/// Deployments: each pod waits for its own Workload.
const KindAdmission& deployment_admission();
/// StatefulSets: all pods are one group.
const KindAdmission& stateful_set_admission();
/// LeaderWorkerSets: the pods of each replica are a group.
const KindAdmission& leader_worker_set_admission();

}  // namespace sluice::controller
