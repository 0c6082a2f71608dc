// Checks whether a job or pod below a managed job has room in the counts of that job's Workload.
#pragma once

#include "api/core/pod.hpp"
#include "api/meta/quantity.hpp"
#include "controller/jobs/job/generic_job.hpp"
#include "controller/jobs/job/job_kinds.hpp"

#include <optional>
#include <string>

/// The room of jobs below a managed job, whose Workload counts for all of them.
namespace sluice::controller {

/// Returns why a job below a managed job has no room there, as a sentence with numbers; nullopt if
/// it has room, or if no managed job is above it. Together, the children of an object may request
/// at most the requests that count for the object, minus those for pods of the object's own
/// controller; an older child takes precedence. The pod sets of the Workload count for the topmost
/// job, and at each level below it the requests of the object in between. Elastic RayClusters below
/// an elastic job always have room, because their pods are gated. The check is skipped if a kind in
/// between cannot be read.
/// `kind` and `child` name the job as it is or will be stored.
std::optional<std::string> find_excess(
    const JobKinds& kinds,
    const Stores& stores,
    const Settings& settings,
    Kind kind,
    const api::ObjectMeta& child,
    const GenericJob& job
);

/// Returns why a new pod has no room below `top`, the managed job above it, if the pod's controller
/// is not a job: for example, the Deployment or StatefulSet of an AppWrapper was scaled. Returns
/// nullopt if the pod has room, if a job's controller created it, or if no Workload counts for it.
std::optional<std::string> find_pod_excess(
    const JobKinds& kinds,
    const Stores& stores,
    const Settings& settings,
    const ObjectKey& top,
    const api::Pod& pod
);

}  // namespace sluice::controller
