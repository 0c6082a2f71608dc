#include "workload/pods/pod_demand.hpp"

#include "api/meta/codec.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace sluice::workload {
namespace {

std::string likeness(
    const api::PodSpec& pod, const PodResources& resources, const api::ResourceList& transformed
) {
    std::string key;
    const auto append = [&key](const auto& part) {
        key += '|';
        api::encode_to(api::type_of<std::remove_cvref_t<decltype(part)>>(), &part, key);
    };
    append(transformed);
    append(static_cast<std::int32_t>(pod.init_containers.size()));
    for (std::size_t i = 0; i < pod.init_containers.size(); ++i) {
        append(resources.init_containers[i].resources.requests);
        append(pod.init_containers[i].ports);
    }
    for (std::size_t i = 0; i < pod.containers.size(); ++i) {
        append(resources.containers[i].requests);
        append(pod.containers[i].ports);
    }
    append(static_cast<bool>(resources.pod_level));
    if (resources.pod_level) {
        append(resources.pod_level->requests);
    }
    append(resources.overhead);
    append(pod.node_selector);
    append(pod.affinity);
    append(pod.tolerations);
    append(pod.topology_spread_constraints);
    append(pod.resource_claims);
    append(pod.runtime_class_name);
    append(pod.priority);
    return key;
}

}  // namespace

bool claims_devices(const api::PodSpec& pod) {
    return std::ranges::any_of(pod.resource_claims, [](const api::PodResourceClaim& claim) {
        return !claim.resource_claim_name.empty() || !claim.resource_claim_template_name.empty();
    });
}

PodDemand make_pod_demand(
    const api::PodSpec& pod,
    PodResources resources,
    const LimitRangeSummary& limits,
    const TranslationSettings& settings
) {
    PodDemand made;
    made.requests = pod_requests(resources);
    const api::ResourceList left = transformed(made.requests, settings);
    made.for_engine = to_engine_requests(left);
    if (auto of_node = to_engine_requests(made.requests); of_node != made.for_engine) {
        made.for_node = std::move(of_node);
    }
    made.shape = make_pod_shape(pod);
    made.like = likeness(pod, resources, left);
    made.is_valid = !find_invalid_requests({std::move(resources)}, limits) &&
                    !(settings.gates.reject_workloads_with_devices && claims_devices(pod));
    return made;
}

}  // namespace sluice::workload
