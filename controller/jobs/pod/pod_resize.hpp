#pragma once

#include "api/core/pod.hpp"
#include "controller/jobs/admission/job_admission.hpp"

/// The resize of pods in place (subresource `resize`): quota counts what the Workload says of a
/// pod, and no resize changes that.
namespace sluice::controller {

/// Where the API server asks about resizes.
inline constexpr std::string_view kResizePath = "/validate--v1-pod-resize";

/// Refuses the resize of a pod of a managed job by which it requests more than the Workload counts
/// for it, or, where that is not known, more than before. A pod may shrink, and grow again up to
/// what is counted. Errors: Unavailable when an object above the pod is not known yet.
Result<webhook::Verdict> judge_resize(
    const AdmissionContext& context, const api::AdmissionRequest& request
);

/// Whether the pod is the one of the template but for resources, and requests no more: it was
/// resized since.
bool is_resized_within(const api::Pod& pod, const api::PodTemplateSpec& counted);

}  // namespace sluice::controller
