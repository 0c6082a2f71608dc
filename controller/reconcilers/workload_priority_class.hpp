// Reconciles a WorkloadPriorityClass: copies its value to the Workloads that use it.
#pragma once

#include "controller/reconcile/reconcile.hpp"
#include "controller/reconcile/stores.hpp"

#include <string_view>

namespace sluice::controller {

/// Copies the value of a WorkloadPriorityClass to every Workload that names it. The writes are
/// independent, so that a refusal of one does not delay the rest. Deleting the class changes
/// nothing.
Outcome reconcile_workload_priority_class(const Stores& stores, std::string_view name);

}  // namespace sluice::controller
