#pragma once

#include "api/core/pod.hpp"
#include "api/meta/quantity.hpp"
#include "controller/jobs/job/generic_job.hpp"
#include "controller/jobs/job/job_kinds.hpp"

#include <optional>
#include <string>

/// The room of jobs below a managed job: that one's Workload counts for all of them.
namespace sluice::controller {

/// Why a job below a managed one has no room there, as a sentence with numbers; none: it has, or
/// nothing is above it. The children of an object may together request no more than what counts for
/// that object, less what the pods are counted for that its own controller makes; the older child
/// goes first. Counted are the pod sets of the Workload of the topmost job, and at each level below
/// it what the object in between asks for. Elastic RayClusters below an elastic job always have
/// room: their pods are gated. Nothing is said where a kind in between is not read here.
/// `kind` and `child` name the job as it is or will be stored.
std::optional<std::string> find_excess(
    const JobKinds& kinds,
    const Stores& stores,
    const Settings& settings,
    Kind kind,
    const api::ObjectMeta& child,
    const GenericJob& job
);

/// Why a new pod has no room below `top`, the managed job above it, where the pod's controller is
/// no job: a Deployment or StatefulSet of an AppWrapper may have been scaled. None: it has, or a
/// job's controller made it, or what is above makes no Workload for its pods.
std::optional<std::string> find_pod_excess(
    const JobKinds& kinds,
    const Stores& stores,
    const Settings& settings,
    const ObjectKey& top,
    const api::Pod& pod
);

}  // namespace sluice::controller
