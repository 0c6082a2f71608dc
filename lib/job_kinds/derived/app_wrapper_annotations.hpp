// Annotations of an AppWrapper's pod sets that name the labels with the ranks of pods.
#pragma once

/// Annotations of an AppWrapper's pod sets. They name the labels with the ranks of the pods.
namespace sluice::job_kinds::app_wrapper_annotation {

inline constexpr const char* kPodIndexLabel =
    "workload.codeflare.dev.appwrapper/tas-pod-index-label";
inline constexpr const char* kSubGroupIndexLabel =
    "workload.codeflare.dev.appwrapper/tas-sub-group-index-label";
inline constexpr const char* kSubGroupCount =
    "workload.codeflare.dev.appwrapper/tas-sub-group-count";

}  // namespace sluice::job_kinds::app_wrapper_annotation
