// Gives back the domains of an elastic job that has shrunk.
#pragma once

#include "api/kueue/workload.hpp"
#include "controller/jobs/reconciliation/pod_places.hpp"
#include "controller/reconcile/view.hpp"

#include <optional>

namespace sluice::controller {

/// Returns the Workload's admission with the domains where its pods are, if it has more domains
/// than pods: an elastic job has shrunk, and the Job controller chose which pods went (gate
/// ElasticJobsViaWorkloadSlicesWithTAS). Places of pods that are still to come are kept. Returns
/// nullopt if nothing changes, and while pods end or more of them run than the Workload asks for.
/// Kueue keeps all domains. `row`: the pods of the job.
std::optional<api::Admission> without_left_domains(
    const View& view, const api::Workload& workload, const Pods& row
);

}  // namespace sluice::controller
