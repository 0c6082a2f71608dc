// The entry point that reconciles a job of any kind by its name.
#pragma once

#include "base/clock.hpp"
#include "controller/jobs/job/generic_job.hpp"
#include "controller/jobs/job/job_kinds.hpp"
#include "controller/reconcile/reconcile.hpp"
#include "controller/reconcile/view.hpp"
#include "kube/core/resource_path.hpp"

namespace sluice::controller {

/// Reconciles the job of that kind and name: keeps one Workload for it, runs it only while that
/// Workload is admitted, stops it on eviction, and reports when it has finished. If the job is
/// gone, its Workloads are finished.
Outcome reconcile_job(
    const View& view,
    const JobKinds& kinds,
    const JobKind& kind,
    const kube::NamespacedName& name,
    Time now
);

}  // namespace sluice::controller
