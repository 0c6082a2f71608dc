#include "workload/capacity/flavor_choices.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

namespace sluice::workload {

std::vector<std::vector<std::string>> flavor_choices(
    const api::ClusterQueue& queue, const Amounts& request
) {
    constexpr std::size_t kChoicesMax = 256;
    std::vector<std::vector<std::string>> made{{}};
    for (const auto& group : queue.spec.resource_groups) {
        const bool asks = std::ranges::any_of(group.covered_resources, [&](const auto& name) {
            return amount_of(request, name) > engine::Amount();
        });
        if (!asks || made.size() * group.flavors.size() > kChoicesMax) {
            continue;
        }
        std::vector<std::vector<std::string>> longer;
        for (const auto& choice : made) {
            for (const auto& flavor : group.flavors) {
                longer.push_back(choice);
                longer.back().push_back(flavor.name);
            }
        }
        made = std::move(longer);
    }
    return made;
}

std::vector<std::string> flavors_of_assignment(const api::PodSetAssignment& assignment) {
    std::set<std::string> names;
    for (const auto& [resource, flavor] : assignment.flavors) {
        names.insert(flavor);
    }
    return {names.begin(), names.end()};
}

PodShape created_shape(const api::PodSpec& pod, const Amounts& request) {
    PodShape shape = make_pod_shape(pod);
    for (const auto& [resource, amount] : request) {
        if (resource.find('/') != std::string::npos) {
            shape.extended_resources.push_back(resource);
        }
    }
    return with_extended_tolerations(std::move(shape));
}

}  // namespace sluice::workload
