#pragma once

#include "controller/kinds/builtin_kinds.hpp"

namespace sluice::controller {

/// Stores of all kinds of a registry, each with the empty list of a server without objects.
inline void add_synced_stores(const Registry& registry, Stores& stores) {
    registry.add_stores(stores);
    for (const KindEntry& entry : registry.all()) {
        stores.find(entry.kind)->replace({}, {});
    }
}

/// Empty stores of all the kinds that Sluice is built with.
struct KnownStores : Stores {
    KnownStores() { add_synced_stores(registry, *this); }
    Registry registry = controller::make_registry({}, true);
};

}  // namespace sluice::controller
