#include "engine/types/usages.hpp"

#include <algorithm>

namespace sluice::engine {
namespace {

template <class Items>
auto place_of(Items& items, FlavorResourceIndex flavor_resource) {
    return std::lower_bound(
        items.begin(),
        items.end(),
        flavor_resource,
        [](const Usage& item, FlavorResourceIndex key) { return item.flavor_resource < key; }
    );
}

}  // namespace

void add_to(Usages& usages, FlavorResourceIndex flavor_resource, Amount amount) {
    const auto at = place_of(usages, flavor_resource);
    if (at != usages.end() && at->flavor_resource == flavor_resource) {
        at->amount += amount;
    } else {
        usages.insert(at, Usage{.flavor_resource = flavor_resource, .amount = amount});
    }
}

Amount amount_of(const Usages& usages, FlavorResourceIndex flavor_resource) {
    const auto at = place_of(usages, flavor_resource);
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
