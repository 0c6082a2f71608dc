#pragma once

#include "api/core/pod.hpp"
#include "engine/types/objects.hpp"
#include "workload/pods/limit_range.hpp"
#include "workload/pods/pod_shape.hpp"
#include "workload/pods/requests.hpp"
#include "workload/pods/translation_settings.hpp"

#include <string>
#include <vector>

namespace sluice::workload {

/// What one pod of a template asks of the scheduler, worked out once for all workloads that share
/// the template.
struct PodDemand {
    api::ResourceList requests;                       ///< as the scheduler of Kubernetes has them
    std::vector<engine::ResourceRequest> for_engine;  ///< transformed
    bool is_valid = false;  ///< see find_invalid_requests(); no claims that are to be rejected
    PodShape shape;         ///< without topology
    std::string like;       ///< equal for pods that are alike to the scheduler, for them alone
};

/// Whether the pod asks for devices by claims (dynamic resource allocation), which are no requests.
bool claims_devices(const api::PodSpec& pod);

/// `resources`: those of make_pod_resources() for the pod.
PodDemand make_pod_demand(
    const api::PodSpec& pod,
    PodResources resources,
    const LimitRangeSummary& limits,
    const TranslationSettings& settings
);

}  // namespace sluice::workload
