#pragma once

#include "base/clock.hpp"
#include "controller/jobs/job/generic_job.hpp"
#include "controller/jobs/job/job_kinds.hpp"
#include "controller/reconcile/reconcile.hpp"
#include "controller/reconcile/view.hpp"
#include "kube/core/resource_path.hpp"

namespace sluice::controller {

/// What is to be done about the job of that kind and name, whatever its kind: keep one Workload for
/// it, run it only while that is admitted, stop it on eviction, and say when it has finished. Works
/// also for a job that is gone: its Workloads are finished then.
Outcome reconcile_job(
    const View& view,
    const JobKinds& kinds,
    const JobKind& kind,
    const kube::NamespacedName& name,
    Time now
);

}  // namespace sluice::controller
