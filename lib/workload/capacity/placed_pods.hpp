// Counts the pods that have a node, and finds those of a workload that have none yet.
#pragma once

#include "api/core/pod.hpp"
#include "api/kueue/workload.hpp"
#include "workload/capacity/flavor_nodes.hpp"
#include "workload/capacity/node_room.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace sluice::workload {

/// Returns true if the pod runs in the quota of a queue: Sluice or Kueue marked it.
bool is_in_quota(const api::Pod& pod);

/// Returns the number of pods of the podSet that are admitted: fewer than the podSet has after
/// partial admission, and fewer than the assignment has once an elastic job has shrunk.
std::int64_t admitted_pods(const api::PodSet& pod_set, const api::PodSetAssignment& assignment);

/// Returns what one pod takes of a node, with 1 for `pods`.
Amounts node_amounts(const api::PodSpec& pod);

/// The pods that have a node and have not ended.
class PlacedPods {
  public:
    /// Takes the pods' requests from their nodes.
    PlacedPods(const std::vector<const api::Pod*>& pods, ClusterNodes& nodes);

    /// Returns, by node, the pods that belong to the podSet, at most `count`, and forgets them.
    /// Pods without the annotation that names their Workload belong to whichever podSet of their
    /// namespace and ClusterQueue requests as much.
    std::map<std::string, std::int64_t> take(
        const api::Workload& workload,
        const std::string& pod_set,
        const Amounts& request,
        std::int64_t count
    );

  private:
    std::map<std::string, std::map<std::string, std::int64_t>> by_key_;  // by key, then node
};

}  // namespace sluice::workload
