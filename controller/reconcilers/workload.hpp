// Reconciles a Workload: conditions, evictions, back-off, deadlines and its end.
#pragma once

#include "controller/reconcile/reconcile.hpp"
#include "controller/reconcile/view.hpp"

#include <string_view>

namespace sluice::controller {

/// Returns the next action for one Workload, with or without a job. It covers orphans, back-off,
/// deactivation, stopped queues, admission checks and the reasons for waiting.
Outcome reconcile_workload(const View& view, std::string_view ns, std::string_view name, Time now);

}  // namespace sluice::controller
