// The flavors and nodes that the pods of a podSet may get.
#pragma once

#include "api/core/pod.hpp"
#include "api/kueue/cluster_queue.hpp"
#include "api/kueue/workload.hpp"
#include "workload/capacity/node_room.hpp"
#include "workload/pods/pod_shape.hpp"

#include <string>
#include <vector>

namespace sluice::workload {

/// Returns the flavors of the queue that the pods may get, one for each group of resources that
/// they request, in each combination. Groups beyond 256 combinations are left out.
std::vector<std::vector<std::string>> flavor_choices(
    const api::ClusterQueue& queue, const Amounts& request
);

/// Returns the flavors that the podSet got, by name.
std::vector<std::string> flavors_of_assignment(const api::PodSetAssignment& assignment);

/// Returns the shape of the pods as they are created: each tolerates the taint that is named like
/// an extended resource that it requests.
PodShape created_shape(const api::PodSpec& pod, const Amounts& request);

}  // namespace sluice::workload
