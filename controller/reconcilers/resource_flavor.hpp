#pragma once

#include "controller/reconcilers/reconcile.hpp"
#include "controller/reconcilers/stores.hpp"

#include <string_view>

namespace sluice::controller {

/// Keeps the finalizer of a ResourceFlavor while a ClusterQueue has quota of it.
Outcome reconcile_resource_flavor(const Stores& stores, std::string_view name);

/// Keeps the finalizer of an AdmissionCheck while a ClusterQueue asks for it.
Outcome reconcile_admission_check(const Stores& stores, std::string_view name);

}  // namespace sluice::controller
