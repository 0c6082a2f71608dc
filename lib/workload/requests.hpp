#pragma once

#include "api/pod.hpp"
#include "api/workload.hpp"
#include "engine/objects.hpp"
#include "workload/limit_range.hpp"
#include "workload/translation_settings.hpp"

#include <optional>
#include <string>
#include <vector>

/// What one pod of a template asks for, and whether limits and LimitRanges allow that.
namespace sluice::workload {

/// Limits and requests of a container, or of the pod as a whole.
struct Resources {
    api::ResourceList limits;
    api::ResourceList requests;
};

/// The resources of a pod template after defaulting.
struct PodResources {
    struct InitContainer {
        Resources resources;
        bool is_sidecar = false;  ///< restartPolicy Always: it runs on beside the containers
    };
    std::vector<InitContainer> init_containers;
    std::vector<Resources> containers;
    std::optional<Resources> pod_level;
    api::ResourceList overhead;
};

/// Fills in what the API server and the kubelet would: the RuntimeClass's overhead (nullptr: none
/// is known), the LimitRanges' defaults, limits as missing requests.
PodResources make_pod_resources(
    const api::PodSpec& pod,
    const api::ResourceList* runtime_class_overhead,
    const LimitRangeSummary& limits
);

/// The effective request of the pod as the scheduler of Kubernetes computes it: containers and
/// sidecars together, or the largest init step where that is more; pod-level requests override;
/// plus overhead.
api::ResourceList pod_requests(const PodResources& pod);

/// Drops the excluded resources and applies the transformations
/// (Configuration.resources).
api::ResourceList transformed(api::ResourceList requests, const TranslationSettings& settings);

/// In the scheduler's integers, none negative; by resource name.
std::vector<engine::ResourceRequest> to_engine_requests(const api::ResourceList& requests);

/// The requests and limits below zero, each with its field: what Kubernetes refuses in a pod and
/// Kueue's webhook in a Workload. None: there are none. The scheduler takes such requests for zero.
std::optional<std::string> find_negative_requests(const api::Workload& workload);

/// Why the requests of these pod sets, in their order, may not run: the sentence of condition
/// QuotaReserved. None: requests are within limits, and both within the LimitRanges.
std::optional<std::string> find_invalid_requests(
    const std::vector<PodResources>& pods, const LimitRangeSummary& limits
);

}  // namespace sluice::workload
