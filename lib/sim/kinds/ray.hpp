#pragma once

#include "job_kinds/description.hpp"
#include "sim/kinds/pod_job.hpp"

/// KubeRay's kinds. Their pods are made without a RayCluster in between.
namespace sluice::sim {

/// RayCluster: it is ready when its pods are, and never over.
PodJobKind ray_cluster_kind(const job_kinds::Description& description);
/// RayService: the same, in other words.
PodJobKind ray_service_kind(const job_kinds::Description& description);
/// RayJob: over with its submitter, or without one after the time that its annotations say.
PodJobKind ray_job_kind(const job_kinds::Description& description);

}  // namespace sluice::sim
