#include "engine/reference_topology.hpp"

#include <algorithm>
#include <set>

namespace sluice::reference {

using engine::FlavorRefusal;

bool TopologyRules::has_topology(const std::string& flavor) const {
    const auto found = rules_.flavors->find(flavor);
    return is_on() && found != rules_.flavors->end() && !found->second.topology.empty();
}

std::vector<std::string> TopologyRules::flavors_with_topology() const {
    std::vector<std::string> result;
    for (const engine::ResourceGroup& group : queue_.resource_groups) {
        for (const engine::FlavorQuotas& flavor : group.flavors) {
            if (has_topology(flavor.flavor)) {
                result.push_back(flavor.flavor);
            }
        }
    }
    return result;
}

bool TopologyRules::are_all_with_topology() const {
    std::size_t count = 0;
    for (const engine::ResourceGroup& group : queue_.resource_groups) {
        count += group.flavors.size();
    }
    return is_on() && flavors_with_topology().size() == count;
}

const engine::PodShape* TopologyRules::shape_that_requests(std::size_t pod_set) const {
    const auto shape = rules_.shapes->find(workload_.pod_sets[pod_set].shape);
    const bool requests =
        is_on() && shape != rules_.shapes->end() && shape->second.topology.has_value();
    return requests ? &shape->second : nullptr;
}

std::optional<FlavorRefusal::Kind> TopologyRules::mismatch(
    std::size_t pod_set, const engine::ResourceGroup& resources, const std::string& flavor
) const {
    const engine::PodShape* shape = shape_that_requests(pod_set);
    if (shape == nullptr) {
        if (has_topology(flavor) && !are_all_with_topology()) {
            return FlavorRefusal::Kind::TopologyOnly;
        }
        return std::nullopt;
    }
    if (!has_topology(flavor)) {
        for (const std::string& resource : resources.covered_resources) {
            if (std::count(shape->resources.begin(), shape->resources.end(), resource) > 0) {
                return FlavorRefusal::Kind::TopologyUnsupported;
            }
        }
    }
    return std::nullopt;
}

std::vector<Complaint> TopologyRules::errors(const PodSetResult& result) const {
    const bool gets_one = shape_that_requests(result.index) != nullptr || are_all_with_topology();
    if (result.count == 0 || !gets_one) {
        return {};
    }
    const auto error = [](FlavorRefusal::Kind kind, const std::string& flavor) {
        FlavorRefusal refusal;
        refusal.kind = kind;
        return Complaint{refusal, flavor, {}};
    };
    if (flavors_with_topology().empty()) {
        return {error(FlavorRefusal::Kind::NoTopologyInQueue, {})};
    }
    std::set<std::string> assigned;
    for (const auto& [resource, choice] : result.choices) {
        if (has_topology(choice.flavor)) {
            assigned.insert(choice.flavor);
        }
    }
    if (assigned.empty()) {
        return {error(FlavorRefusal::Kind::NoTopologyFlavor, {})};
    }
    std::vector<Complaint> errors;
    for (const std::string& flavor : assigned) {
        if (assigned.size() > 1) {
            errors.push_back(error(FlavorRefusal::Kind::TwoTopologyFlavors, flavor));
        }
    }
    return errors;
}

}  // namespace sluice::reference
