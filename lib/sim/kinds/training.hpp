// The simulated controllers of the Kubeflow training operator's kinds and MPIJob.
#pragma once

#include "job_kinds/description.hpp"
#include "sim/kinds/pod_job.hpp"

namespace sluice::sim {

/// A kind of Kubeflow's training operator, or MPIJob: it has a pod for each replica, conditions,
/// and a status for each type of replica. The job finishes with its main replicas: the master,
/// chief or launcher, or the workers if it has none of these.
PodJobKind training_kind(const job_kinds::Description& description);

}  // namespace sluice::sim
