#pragma once

#include "controller/reconcile/reconcile.hpp"
#include "controller/reconcile/stores.hpp"

#include <string_view>

namespace sluice::controller {

/// Carries the value of a WorkloadPriorityClass to every Workload that names it.
/// Each is written by itself, so that one refusal holds up no other. Deleting the class changes
/// nothing.
Outcome reconcile_workload_priority_class(const Stores& stores, std::string_view name);

}  // namespace sluice::controller
