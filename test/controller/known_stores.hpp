#pragma once

#include "controller/kinds/builtin_kinds.hpp"

namespace sluice::controller {

/// Empty stores of all the kinds that Sluice is built with.
struct KnownStores : Stores {
    KnownStores() { registry.add_stores(*this); }
    Registry registry = make_builtin_registry();
};

}  // namespace sluice::controller
