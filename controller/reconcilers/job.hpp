#pragma once

#include "controller/reconcilers/reconcile.hpp"
#include "controller/reconcilers/view.hpp"

#include <string_view>

namespace sluice::controller {

/// What is to do about the batch/v1 Job of that name: keep one Workload for it, run it only while
/// that is admitted, stop it on eviction, and say when it is finished (spec 2.14, surfaces 1.2).
/// Works also for a Job that is gone: its Workloads are finished then.
Outcome reconcile_job(const View& view, std::string_view ns, std::string_view name, Time now);

}  // namespace sluice::controller
