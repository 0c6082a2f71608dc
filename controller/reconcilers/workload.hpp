#pragma once

#include "controller/reconcile/reconcile.hpp"
#include "controller/reconcile/view.hpp"

#include <string_view>

namespace sluice::controller {

/// What is to be done about one Workload, with or without a job: orphans, back-off, deactivation,
/// stopped queues, admission checks and the reasons why it waits.
Outcome reconcile_workload(const View& view, std::string_view ns, std::string_view name, Time now);

}  // namespace sluice::controller
