// Ungates the pods of a Workload: as many as a slice has, each in its topology domain.
#pragma once

#include "controller/jobs/job/job_kinds.hpp"
#include "controller/reconcile/reconcile.hpp"
#include "controller/reconcile/view.hpp"

/// Pods are created with a scheduling gate if they belong to an elastic job (KEP-77) or have a
/// topology (KEP-2724). The gate is removed once the pod has room in the admitted slice, and a
/// domain.
namespace sluice::controller {

/// Reconciles the pods of one row, which is named by pod_row_key(). Ungates pods of an admitted
/// Workload that is not evicted:
/// - elastic: as many as the newest slice has room for besides ungated pods, those with the lowest
///   names first;
/// - with a topology: each pod gets the node selector of its domain (place_pods()). A pod whose
/// host
///   is unhealthy waits until the host is replaced.
/// The node selectors that the Workload's checks chose are added to the pods; a pod that
/// contradicts them stays gated. Fails pods that can never start because their host is not assigned
/// any more, or is not usable (gate TASFailedNodeReplacement). Requires: the stores show the last
/// writes to these pods.
Outcome reconcile_pod_row(const View& view, const JobKinds& kinds, const ObjectKey& key, Time now);

}  // namespace sluice::controller
