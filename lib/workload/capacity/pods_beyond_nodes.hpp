// Finds workloads whose pods do not all fit on nodes, even if no other workload ran.
#pragma once

#include "workload/capacity/capacity_report.hpp"

#include <vector>

namespace sluice::workload {

/// Returns the podSets of pending and admitted workloads whose pods do not all fit on the nodes of
/// any flavors that they may get, or of those that they got, whole pods only and without the pods
/// of other workloads. `fit` is `could` there. Requests of resources that no node has had do not
/// count, nor do workloads of other queues than those of the input. *Cost*: O(workloads) and
/// O(nodes) for each class of equal pods in equal number, until 200,000 nodes were looked at.
std::vector<UnplaceablePods> find_pods_beyond_nodes(const CapacityInput& input);

}  // namespace sluice::workload
