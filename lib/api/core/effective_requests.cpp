#include "api/core/effective_requests.hpp"

#include <algorithm>
#include <string>

namespace sluice::api {
namespace {

constexpr std::string_view kHugePages = "hugepages-";

/// Adds amounts to a sum. Negative amounts, which Kubernetes rejects in pods, add nothing, so that
/// no container or overhead reduces the sum of the others.
void add(ResourceList& sum, const ResourceList& added) {
    for (const auto& [resource, quantity] : added) {
        sum[resource] += std::max(quantity, Quantity());
    }
}

void keep_most(ResourceList& kept, const ResourceList& other) {
    for (const auto& [resource, quantity] : other) {
        const auto [at, is_new] = kept.emplace(resource, quantity);
        if (!is_new && at->second < quantity) {
            at->second = quantity;
        }
    }
}

EffectiveResources with_limits_requested(const ResourceRequirements& given) {
    EffectiveResources made{.limits = given.limits, .requests = given.requests};
    made.requests.insert(made.limits.begin(), made.limits.end());
    return made;
}

ResourceList sum_of_containers(const PodResources& pod, ResourceList EffectiveResources::* side) {
    ResourceList total;
    for (const auto& container : pod.containers) {
        add(total, container.*side);
    }
    ResourceList sidecars;
    ResourceList init_peak;
    for (const auto& [resources, is_sidecar] : pod.init_containers) {
        ResourceList step = sidecars;
        add(step, resources.*side);
        if (is_sidecar) {
            add(total, resources.*side);
            sidecars = step;
        }
        keep_most(init_peak, step);
    }
    keep_most(total, init_peak);
    return total;
}

}  // namespace

bool may_be_pod_level(std::string_view resource) {
    return resource == "cpu" || resource == "memory" || resource.starts_with(kHugePages);
}

PodResources effective_resources(const PodSpec& pod) {
    PodResources made;
    for (const auto& container : pod.init_containers) {
        made.init_containers.push_back(
            {.resources = with_limits_requested(container.resources),
             .is_sidecar = container.restart_policy == "Always"}
        );
    }
    for (const auto& container : pod.containers) {
        made.containers.push_back(with_limits_requested(container.resources));
    }
    if (pod.resources) {
        made.pod_level = EffectiveResources{
            .limits = pod.resources->limits, .requests = pod.resources->requests
        };
        set_pod_level_defaults(made);
    }
    if (pod.overhead) {
        made.overhead = *pod.overhead;
    }
    return made;
}

void set_pod_level_defaults(PodResources& pod) {
    EffectiveResources& level = *pod.pod_level;
    if (level.limits.empty() && level.requests.empty()) {
        return;
    }
    for (const auto& [resource, quantity] : container_limits(pod)) {
        if (resource.starts_with(kHugePages) && !level.requests.contains(resource)) {
            level.limits.emplace(resource, quantity);
        }
    }
    if (level.limits.empty()) {
        return;
    }
    for (const auto& [resource, quantity] : container_requests(pod)) {
        if (may_be_pod_level(resource) && !resource.starts_with(kHugePages)) {
            level.requests.emplace(resource, quantity);
        }
    }
    for (const auto& [resource, quantity] : level.limits) {
        if (may_be_pod_level(resource)) {
            level.requests.emplace(resource, quantity);
        }
    }
}

ResourceList container_requests(const PodResources& pod) {
    return sum_of_containers(pod, &EffectiveResources::requests);
}

ResourceList container_limits(const PodResources& pod) {
    return sum_of_containers(pod, &EffectiveResources::limits);
}

ResourceList pod_level_requests(const PodResources& pod) {
    ResourceList requests = pod.pod_level ? pod.pod_level->requests : ResourceList();
    std::erase_if(requests, [](const auto& entry) { return !may_be_pod_level(entry.first); });
    return requests;
}

std::vector<std::string> pod_level_requests_below_containers(const PodResources& pod) {
    std::vector<std::string> below;
    const ResourceList containers = container_requests(pod);
    for (const auto& [resource, quantity] : pod_level_requests(pod)) {
        const auto sum = containers.find(resource);
        if (sum != containers.end() && quantity < sum->second) {
            below.push_back(resource);
        }
    }
    return below;
}

ResourceList pod_requests(const PodResources& pod) {
    ResourceList total = container_requests(pod);
    for (const auto& [resource, quantity] : pod_level_requests(pod)) {
        total[resource] = std::max(quantity, Quantity());
    }
    add(total, pod.overhead);
    return total;
}

}  // namespace sluice::api
