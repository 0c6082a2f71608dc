// Finds the nodes of a Workload's topology that failed and have to be replaced.
#pragma once

#include "api/kueue/workload.hpp"
#include "base/clock.hpp"
#include "controller/reconcile/reconcile.hpp"
#include "controller/reconcile/view.hpp"
#include "workload/status/status.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sluice::controller {

/// The content that status.unhealthyNodes should have.
struct FailedNodes {
    bool is_changed = false;         ///< the names differ from those in the status
    std::vector<std::string> names;  ///< first those in the status, then new ones by name
    std::optional<Time> look_again;  ///< when a node that is not ready counts as failed
};

/// Judges the hosts that the Workload's topology names (gate TASFailedNodeReplacement):
/// - a missing host has failed at once;
/// - one that is not ready has failed when no pod of the Workload runs on it
///   (TASReplaceNodeOnPodTermination) or after 30 seconds (without that gate, and with
///   TASReplaceNodeDueToNotReadyOverFixedTime);
/// - one with a taint that pods do not tolerate has failed when no pod runs on it or, without
///   TASReplaceNodeOnPodTermination, at once; one whose taints they tolerate for a time only, when
///   pods had to leave it and none is left (TASReplaceNodeOnNodeTaints).
/// A name in the status is kept until its host is found not to have failed. Finds nothing unless
/// the Workload is admitted and not evicted, nor if a single pod owns it (gate
/// SkipReassignmentForPodOwnedWorkloads), nor while nodes or pods are not known.
FailedNodes find_failed_nodes(const View& view, const api::Workload& workload, Time now);

/// The next step after the nodes of a topology were judged: an eviction, a write, or nothing.
struct NodesStep {
    std::optional<workload::Eviction> eviction;
    std::vector<Write> writes;
    std::optional<Time> look_again;
};

/// Writes which node failed, so that the scheduler replaces it. If several nodes wait for a
/// replacement, evicts the Workload.
NodesStep follow_failed_nodes(const View& view, const api::Workload& workload, Time now);

}  // namespace sluice::controller
