// The demand of one pod of a template, computed once for each template.
#pragma once

#include "api/core/pod.hpp"
#include "engine/types/objects.hpp"
#include "workload/pods/limit_range.hpp"
#include "workload/pods/pod_shape.hpp"
#include "workload/pods/requests.hpp"
#include "workload/pods/translation_settings.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sluice::workload {

/// The demand of one pod of a template, computed once for all workloads that share the template.
struct PodDemand {
    api::ResourceList requests;                       ///< as the Kubernetes scheduler counts them
    std::vector<engine::ResourceRequest> for_engine;  ///< after resource transformations
    /// The requests to the node, before resource transformations; nullopt if they are `for_engine`.
    std::optional<std::vector<engine::ResourceRequest>> for_node;
    /// see find_invalid_requests(); false also for device claims that are rejected
    bool is_valid = false;
    PodShape shape;    ///< without topology
    std::string like;  ///< equal exactly for pods that the scheduler treats alike
};

/// Returns true if the pod claims devices (dynamic resource allocation). Such claims are not part
/// of its requests.
bool claims_devices(const api::PodSpec& pod);

/// Computes the demand of a pod. `resources`: the result of make_pod_resources() for the pod.
PodDemand make_pod_demand(
    const api::PodSpec& pod,
    PodResources resources,
    const LimitRangeSummary& limits,
    const TranslationSettings& settings
);

}  // namespace sluice::workload
