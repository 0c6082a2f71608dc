#include "workload/capacity/node_room.hpp"

#include "workload/pods/amounts.hpp"
#include "workload/pods/node_fit.hpp"

#include <algorithm>
#include <limits>

namespace sluice::workload {

using engine::Amount;

Amount amount_of(const Amounts& amounts, const std::string& resource) {
    const auto at = amounts.find(resource);
    return at == amounts.end() ? Amount() : at->second;
}

void add_amounts(Amounts& to, const Amounts& amounts, std::int64_t times) {
    for (const auto& [resource, amount] : amounts) {
        Amount& sum = to[resource];
        sum = times >= 0 ? sum + amount * times : sum - amount * -times;
    }
}

Amounts to_amounts(const api::ResourceList& list) {
    Amounts made;
    for (const auto& [resource, quantity] : list) {
        made[resource] = max(Amount(), request_amount(resource, quantity));
    }
    return made;
}

Amount NodeRoom::free(const std::string& resource) const {
    return amount_of(allocatable, resource) - amount_of(foreign, resource) -
           amount_of(ours, resource);
}

Amount NodeRoom::given(const std::string& resource) const {
    return max(Amount(), amount_of(allocatable, resource) - amount_of(foreign, resource));
}

bool NodeRoom::is_whole(const std::string& resource) const {
    const Amount whole = amount_of(allocatable, resource) - amount_of(daemons, resource);
    return whole > Amount() && free(resource) == whole;
}

std::int64_t NodeRoom::fitting(const Amounts& request) const {
    std::int64_t pods = std::numeric_limits<std::int64_t>::max();
    for (const auto& [resource, amount] : request) {
        if (amount > Amount()) {
            const Amount room = max(Amount(), free(resource));
            pods = std::min(pods, room.value() / amount.value());
        }
    }
    return pods;
}

std::int64_t NodeRoom::fitting_if_empty(const Amounts& request) const {
    std::int64_t pods = std::numeric_limits<std::int64_t>::max();
    for (const auto& [resource, amount] : request) {
        if (amount > Amount()) {
            pods = std::min(pods, given(resource).value() / amount.value());
        }
    }
    return pods;
}

NodeRoom make_node_room(const api::Node& node) {
    return {
        .node = &node,
        .exists = true,
        .refusal = is_usable(node)           ? ""
                   : node.spec.unschedulable ? "cordoned"
                                             : "NotReady",
        .allocatable = to_amounts(node.status.allocatable),
        .daemons = {},
        .foreign = {},
        .ours = {},
    };
}

}  // namespace sluice::workload
