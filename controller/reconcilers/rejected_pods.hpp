// Finds pods that kubelets rejected, and remembers the nodes of these for a time.
#pragma once

#include "api/core/pod.hpp"
#include "api/kueue/workload.hpp"
#include "controller/reconcile/stores.hpp"
#include "controller/reconcile/strict_patch.hpp"
#include "workload/pods/pod_shape.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace sluice::controller {

/// Nodes are passed over for so long: their devices may be free again.
inline constexpr Duration kRejectionKept = std::chrono::minutes(10);

/// Returns true if the pod's kubelet rejected it though the scheduler had chosen the node: the
/// devices or processors that are free there do not make up what one pod needs
/// (TopologyAffinityError, UnexpectedAdmissionError).
bool is_rejected(const api::Pod& pod);

/// The nodes whose kubelets rejected pods of a Workload (annotation sluice.dev/rejected-by).
struct RejectingNodes {
    std::vector<workload::RejectingNode> nodes;
    bool has_changed = false;            ///< the annotation says something else
    std::optional<Time> next_forgotten;  ///< when the next one is forgotten
    /// Names one pod that was rejected since the last admission, its node and the reason; empty
    /// without one. A pod counts if it was scheduled no earlier than its Workload was admitted.
    std::string message;
};

/// Finds them. Rejected pods are known while pods are watched.
RejectingNodes find_rejecting_nodes(const Stores& stores, const api::Workload& workload, Time now);

/// Returns the patch that makes the annotation say so.
json::Value rejecting_nodes_patch(const RejectingNodes& rejecting);

}  // namespace sluice::controller
