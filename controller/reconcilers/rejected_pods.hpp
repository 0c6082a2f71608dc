// Finds pods that kubelets rejected, and the nodes of these.
#pragma once

#include "api/core/pod.hpp"
#include "api/kueue/workload.hpp"
#include "controller/reconcile/stores.hpp"
#include "controller/reconcile/strict_patch.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sluice::controller {

/// Returns true if the pod's kubelet rejected it though the scheduler had chosen the node: the
/// devices or processors that are free there do not make up what one pod needs
/// (TopologyAffinityError, UnexpectedAdmissionError).
bool is_rejected(const api::Pod& pod);

/// Pods of a Workload that kubelets have rejected since its last admission.
struct RejectedPods {
    /// Names of nodes: those of these pods, and before them those of earlier admissions.
    std::vector<std::string> nodes;
    bool has_new_node = false;  ///< the annotation sluice.dev/rejected-by lacks one
    std::string message;        ///< names one of the pods, its node and the reason
};

/// Returns nullopt without such pods, or if pods are not watched. A pod counts from the second in
/// which its Workload was admitted.
std::optional<RejectedPods> find_rejected_pods(const Stores& stores, const api::Workload& workload);

/// Returns the patch that remembers the nodes in the Workload's annotation.
json::Value rejecting_nodes_patch(const RejectedPods& rejected);

}  // namespace sluice::controller
