#include "engine/types/usages.hpp"

#include <algorithm>

namespace sluice::engine {

void add_to(Usages& usages, FlavorResourceIndex flavor_resource, Amount amount) {
    const auto at = lower_bound_of(usages, flavor_resource);
    if (at != usages.end() && at->flavor_resource == flavor_resource) {
        at->amount += amount;
    } else {
        usages.insert(at, Usage{.flavor_resource = flavor_resource, .amount = amount});
    }
}

Amount amount_of(const Usages& usages, FlavorResourceIndex flavor_resource) {
    const auto at = lower_bound_of(usages, flavor_resource);
    return at != usages.end() && at->flavor_resource == flavor_resource ? at->amount : Amount();
}

bool uses_any(const Usages& usages, const FlavorResources& flavor_resources) {
    return std::any_of(usages.begin(), usages.end(), [&](const Usage& usage) {
        return std::binary_search(
            flavor_resources.begin(), flavor_resources.end(), usage.flavor_resource
        );
    });
}

}  // namespace sluice::engine
