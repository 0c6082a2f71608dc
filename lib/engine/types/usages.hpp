#pragma once

#include "base/small_vector.hpp"
#include "engine/types/amount.hpp"
#include "engine/types/ids.hpp"

/// What a workload takes of quota: amounts by flavor and resource.
namespace sluice::engine {

/// An amount of one flavor-resource.
struct Usage {
    FlavorResourceIndex flavor_resource;
    Amount amount;
    friend bool operator==(const Usage&, const Usage&) = default;
};
/// Sorted by flavor_resource, each at most once.
using Usages = SmallVector<Usage, 4>;
/// Sorted, each at most once.
using FlavorResources = SmallVector<FlavorResourceIndex, 4>;

/// Adds to the entry of that flavor-resource, making it if need be.
void add_to(Usages& usages, FlavorResourceIndex flavor_resource, Amount amount);
/// The amount of that flavor-resource, 0 when it has no entry.
Amount amount_of(const Usages& usages, FlavorResourceIndex flavor_resource);

/// Whether one of the usages is of one of these flavor-resources.
bool uses_any(const Usages& usages, const FlavorResources& flavor_resources);

}  // namespace sluice::engine
