// The resource requests of a pod, and the checks of limits and LimitRanges.
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

/// Computes what one pod of a template requests, and checks it against its limits and LimitRanges.
namespace sluice::workload {

using api::pod_requests;
using api::PodResources;
using Resources = api::EffectiveResources;

/// Fills in what the API server fills in when it creates the pod, in the same order: missing
/// requests from limits, pod-level requests from the containers, defaults of LimitRanges, and the
/// overhead of the RuntimeClass (nullptr without a RuntimeClass).
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

/// Returns the requests in the scheduler's integers, by resource name. Negative requests become
/// zero.
std::vector<engine::ResourceRequest> to_engine_requests(const api::ResourceList& requests);

/// Reports the requests, limits and overheads below zero, each with its field: Kubernetes refuses
/// them in a pod and Kueue's webhook in a Workload. Returns nullopt if every quantity is zero or
/// more. The scheduler counts such requests as zero.
std::optional<std::string> find_negative_requests(const api::Workload& workload);

/// Returns why the requests of these pod sets are not allowed, as the message of condition
/// QuotaReserved. Returns nullopt if the requests are within the limits, and both within the
/// LimitRanges. `pods`: in the order of the pod sets.
std::optional<std::string> find_invalid_requests(
    const std::vector<PodResources>& pods, const LimitRangeSummary& limits
);

}  // namespace sluice::workload
