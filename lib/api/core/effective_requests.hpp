#pragma once

#include "api/core/pod.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What one pod asks for, by the rules of Kubernetes: the API server's defaults, and the sum that
/// its scheduler computes.
namespace sluice::api {

/// The fields of a pod's spec that decide what the pod counts for, here, in the RuntimeClass that
/// it names and in the claims of devices. Two specs that are equal in them count for the same.
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
        bool is_sidecar = false;  ///< restartPolicy Always: it runs on next to the containers
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

/// Fills in pod-level limits of huge pages, and pod-level requests if there are pod-level limits:
/// with the sum of the containers, else with the limit.
void set_pod_level_defaults(PodResources& pod);

/// Returns the requests of containers and sidecars together, or of the largest init step if that is
/// more. Amounts below zero count as zero, here and in the functions below.
ResourceList container_requests(const PodResources& pod);
/// Returns the same sum of the limits.
ResourceList container_limits(const PodResources& pod);

/// Returns the pod-level requests that Kubernetes' scheduler considers.
ResourceList pod_level_requests(const PodResources& pod);

/// Returns the names of the pod-level requests that are below the sum of the containers' requests:
/// the API server refuses such pods.
std::vector<std::string> pod_level_requests_below_containers(const PodResources& pod);

/// Returns the effective request of the pod as the scheduler of Kubernetes computes it: of the
/// containers, pod-level requests instead if there are any, plus overhead. It may be less than
/// container_requests() if pod_level_requests_below_containers() names a resource.
ResourceList pod_requests(const PodResources& pod);

}  // namespace sluice::api
