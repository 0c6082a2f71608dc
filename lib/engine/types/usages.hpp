// Amounts of quota by flavor and resource, as a workload uses them.
#pragma once

#include "base/small_vector.hpp"
#include "engine/types/amount.hpp"
#include "engine/types/ids.hpp"

#include <algorithm>
#include <tuple>

namespace sluice::engine {

/// An amount of one flavor-resource.
struct Usage {
    FlavorResourceIndex flavor_resource;
    Amount amount;
    friend bool operator==(const Usage&, const Usage&) = default;

    /// All members, for save() and load().
    static constexpr auto members() { return std::tuple(&Usage::flavor_resource, &Usage::amount); }
};
/// Sorted by flavor_resource, without duplicates.
using Usages = SmallVector<Usage, 4>;
/// Sorted, without duplicates.
using FlavorResources = SmallVector<FlavorResourceIndex, 4>;

/// Returns an iterator to the first item that is not before that flavor-resource. Requires: the
/// items are sorted by their `flavor_resource`.
template <class Items>
auto lower_bound_of(Items& items, FlavorResourceIndex flavor_resource) {
    return std::lower_bound(
        items.begin(),
        items.end(),
        flavor_resource,
        [](const auto& item, FlavorResourceIndex key) { return item.flavor_resource < key; }
    );
}

/// Adds the amount to the entry of that flavor-resource; inserts an entry if it is missing.
void add_to(Usages& usages, FlavorResourceIndex flavor_resource, Amount amount);
/// Returns the amount of that flavor-resource; 0 if it has no entry.
Amount amount_of(const Usages& usages, FlavorResourceIndex flavor_resource);

/// Returns true if one of the usages is of one of these flavor-resources.
bool uses_any(const Usages& usages, const FlavorResources& flavor_resources);

}  // namespace sluice::engine
