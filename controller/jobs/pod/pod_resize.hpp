// The webhook for the resize of pods in place.
#pragma once

#include "api/core/pod.hpp"
#include "controller/jobs/admission/kind_admission.hpp"

/// The resize of pods in place (subresource `resize`). Quota counts the requests in the Workload,
/// which no resize changes.
namespace sluice::controller {

/// The path of the webhook for resizes.
inline constexpr std::string_view kResizePath = "/validate--v1-pod-resize";

/// Refuses a resize by which a pod of a managed job requests more than the Workload counts for it,
/// or, if that is unknown, more than before. A pod may shrink, and grow again up to the counted
/// requests. Errors: Unavailable if an object above the pod is not known yet.
Result<webhook::Verdict> judge_resize(
    const AdmissionContext& context, const api::AdmissionRequest& request
);

/// Returns true if the pod was resized: it equals the template except for resources, and requests
/// at most as much.
bool is_resized_within(const api::Pod& pod, const api::PodTemplateSpec& counted);

}  // namespace sluice::controller
