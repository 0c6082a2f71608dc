#pragma once

#include "api/core/effective_requests.hpp"
#include "api/core/pod.hpp"
#include "api/kueue/workload.hpp"
#include "engine/types/objects.hpp"
#include "workload/pods/limit_range.hpp"
#include "workload/pods/translation_settings.hpp"

#include <optional>
#include <string>
#include <vector>

/// What one pod of a template asks for, and whether limits and LimitRanges allow that.
namespace sluice::workload {

using api::pod_requests;
using api::PodResources;
using Resources = api::EffectiveResources;

/// Fills in what the API server does when it makes the pod, and in its order: limits as missing
/// requests, pod-level requests from the containers', defaults of LimitRanges, and the overhead of
/// the RuntimeClass (nullptr if there is none).
PodResources make_pod_resources(
    const api::PodSpec& pod,
    const api::ResourceList* runtime_class_overhead,
    const LimitRangeSummary& limits
);

/// Returns what is charged for the requests: without the excluded resources, and with the outputs
/// of the transformations, whose inputs and multipliers may be excluded (Configuration.resources).
api::ResourceList transformed(
    const api::ResourceList& requests, const TranslationSettings& settings
);

/// In the scheduler's integers, none negative; by resource name.
std::vector<engine::ResourceRequest> to_engine_requests(const api::ResourceList& requests);

/// Reports the requests, limits and overheads below zero, each with its field: Kubernetes refuses
/// them in a pod and Kueue's webhook in a Workload. Returns nullopt if there are none. The
/// scheduler takes such requests for zero.
std::optional<std::string> find_negative_requests(const api::Workload& workload);

/// Why the requests of these pod sets, in their order, may not run: the sentence of condition
/// QuotaReserved. None: requests are within limits, and both within the LimitRanges.
std::optional<std::string> find_invalid_requests(
    const std::vector<PodResources>& pods, const LimitRangeSummary& limits
);

}  // namespace sluice::workload
