#pragma once

#include "job_kinds/description.hpp"
#include "sim/kinds/pod_job.hpp"

namespace sluice::sim {

/// One of the kinds of Kubeflow's training operator, or MPIJob: a pod for each replica, conditions,
/// and a status for each type of replica. The job is over when its first replicas are: the master,
/// chief or launcher, else the workers.
PodJobKind training_kind(const job_kinds::Description& description);

}  // namespace sluice::sim
