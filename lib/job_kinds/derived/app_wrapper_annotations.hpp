#pragma once

/// Annotations of a pod set of an AppWrapper: by which labels its pods are ranked.
namespace sluice::job_kinds::app_wrapper_annotation {

inline constexpr const char* kPodIndexLabel =
    "workload.codeflare.dev.appwrapper/tas-pod-index-label";
inline constexpr const char* kSubGroupIndexLabel =
    "workload.codeflare.dev.appwrapper/tas-sub-group-index-label";
inline constexpr const char* kSubGroupCount =
    "workload.codeflare.dev.appwrapper/tas-sub-group-count";

}  // namespace sluice::job_kinds::app_wrapper_annotation
