// The simulated controllers of RayCluster, RayService and RayJob.
#pragma once

#include "job_kinds/description.hpp"
#include "sim/kinds/pod_job.hpp"

/// KubeRay's kinds. Their pods are created directly, without a RayCluster object in between.
namespace sluice::sim {

/// RayCluster: it is ready when its pods are ready, and never finishes.
PodJobKind ray_cluster_kind(const job_kinds::Description& description);
/// RayService: works like RayCluster, with another status.
PodJobKind ray_service_kind(const job_kinds::Description& description);
/// RayJob: finishes with its submitter, or without a submitter after the time in its annotations.
PodJobKind ray_job_kind(const job_kinds::Description& description);

}  // namespace sluice::sim
