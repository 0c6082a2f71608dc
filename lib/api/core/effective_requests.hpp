// The resources that one pod requests, by the rules of Kubernetes.
#pragma once

#include "api/core/pod.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Computes what one pod requests, by the rules of Kubernetes: the API server's defaults, and the
/// sum that its scheduler computes.
namespace sluice::api {

/// The fields of a pod's spec that decide the pod's resources, directly or through the RuntimeClass
/// and the device claims that they name. Two specs with equal fields request the same.
inline constexpr std::array<std::string_view, 6> kCountedPodFields{
    "containers", "initContainers", "overhead", "resourceClaims", "resources", "runtimeClassName"
};

/// Limits and requests of a container, or of the pod as a whole.
struct EffectiveResources {
    ResourceList limits;
    ResourceList requests;
};

/// The resources of a pod after defaulting.
struct PodResources {
    struct InitContainer {
        EffectiveResources resources;
        bool is_sidecar = false;  ///< restartPolicy Always: keeps running next to the containers
    };
    std::vector<InitContainer> init_containers;
    std::vector<EffectiveResources> containers;
    std::optional<EffectiveResources> pod_level;
    ResourceList overhead;
};

/// Returns true for the resources that pod-level requests may name (KEP-2837).
bool may_be_pod_level(std::string_view resource);

/// Returns the resources of the pod after the API server's defaults: limits as missing requests,
/// then the pod-level ones. Objects in the cluster (LimitRange, RuntimeClass) are not considered.
PodResources effective_resources(const PodSpec& pod);

/// Fills in pod-level limits of huge pages. If there are pod-level limits, also fills in pod-level
/// requests: with the sum of the containers' requests, or with the limit if they have none.
void set_pod_level_defaults(PodResources& pod);

/// Returns the sum of the requests of containers and sidecars, or the requests of the largest init
/// step if they are larger. Negative amounts count as zero, here and in the functions below.
ResourceList container_requests(const PodResources& pod);
/// Returns the limits, summed up like container_requests().
ResourceList container_limits(const PodResources& pod);

/// Returns the pod-level requests that Kubernetes' scheduler considers.
ResourceList pod_level_requests(const PodResources& pod);

/// Returns the names of pod-level requests that are below the sum of the containers' requests. The
/// API server rejects such pods.
std::vector<std::string> pod_level_requests_below_containers(const PodResources& pod);

/// Returns the effective request of the pod as the Kubernetes scheduler computes it: the
/// containers' requests, replaced by pod-level requests if there are any, plus the overhead. It may
/// be less than container_requests() if pod_level_requests_below_containers() names a resource.
ResourceList pod_requests(const PodResources& pod);

}  // namespace sluice::api
