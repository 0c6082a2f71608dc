#pragma once

#include "base/clock.hpp"
#include "controller/reconcile/reconcile.hpp"
#include "controller/reconcile/stores.hpp"

#include <string_view>

namespace sluice::controller {

/// Keeps the finalizer of a ResourceFlavor while a ClusterQueue has quota of it.
Outcome reconcile_resource_flavor(const Stores& stores, std::string_view name);

/// Keeps the finalizer of a Topology while a ResourceFlavor names it.
Outcome reconcile_topology(const Stores& stores, std::string_view name);

/// Keeps the finalizer of an AdmissionCheck while a ClusterQueue asks for it. A check whose
/// condition Active nobody has set gets Active=False, and so does one of Kueue's own controllers
/// that Kueue left active.
Outcome reconcile_admission_check(const Stores& stores, std::string_view name, Time now);

}  // namespace sluice::controller
