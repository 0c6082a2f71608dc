#pragma once

#include "controller/reconcilers/reconcile.hpp"
#include "controller/reconcilers/view.hpp"

#include <string_view>

namespace sluice::controller {

/// What is to do about one Workload, whoever owns it: orphans, back-off, deactivation, stopped
/// queues, admission checks and the reasons why it waits (spec 2.9).
Outcome reconcile_workload(const View& view, std::string_view ns, std::string_view name, Time now);

}  // namespace sluice::controller
