// Fails pods that wait for a host on which they can never start.
#pragma once

#include "api/kueue/workload.hpp"
#include "controller/jobs/reconciliation/pod_places.hpp"
#include "controller/reconcile/reconcile.hpp"
#include "controller/reconcile/view.hpp"

namespace sluice::controller {

/// Appends the writes that fail stray pods, so that their job creates others (gate
/// TASFailedNodeReplacement). A pod with a topology is stray if it has neither a node nor a
/// topology gate, and its node selector names a host that the Workload's topology does not name, or
/// one that is not ready or has taints that the pods do not tolerate for good. If the Workload has
/// no admission, all such pods are stray. Does nothing if the topology does not end in hosts.
void append_stray_pods(
    const View& view, const api::Workload& workload, const Pods& row, Time now, Outcome& outcome
);

}  // namespace sluice::controller
