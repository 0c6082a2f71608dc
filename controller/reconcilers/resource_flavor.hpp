// Reconciles ResourceFlavors, Topologies and AdmissionChecks: the finalizer of objects in use.
#pragma once

#include "base/clock.hpp"
#include "controller/reconcile/reconcile.hpp"
#include "controller/reconcile/stores.hpp"

#include <string_view>

namespace sluice::controller {

/// Keeps the finalizer of a ResourceFlavor while a ClusterQueue has quota of the flavor.
Outcome reconcile_resource_flavor(const Stores& stores, std::string_view name);

/// Keeps the finalizer of a Topology while a ResourceFlavor refers to it.
Outcome reconcile_topology(const Stores& stores, std::string_view name);

/// Keeps the finalizer of an AdmissionCheck while a ClusterQueue requires it. Sets Active=False on
/// a check if no controller has set that condition, or if the check belongs to one of Kueue's own
/// controllers and Kueue left it active.
Outcome reconcile_admission_check(const Stores& stores, std::string_view name, Time now);

}  // namespace sluice::controller
