#include "engine/overdrawn_queues.hpp"

namespace sluice::engine {

OverdrawnQueues::OverdrawnQueues(
    const State& state,
    const QuotaTree& tree,
    CandidateLists& candidates,
    const std::set<WorkloadIndex>& removed,
    NodeIndex root,
    const FlavorResources& needed
)
    : tree_(tree),
      candidates_(candidates),
      removed_(removed),
      needed_(needed),
      order_(Before{&state}) {
    for (const auto queue : tree.above_quota(root, needed_)) {
        update(queue);
    }
}

void OverdrawnQueues::update(NodeIndex cluster_queue) {
    const bool is_above = tree_.is_above_quota(cluster_queue, needed_);
    const Candidate* first =
        is_above ? candidates_.in(cluster_queue, needed_).first_but(removed_) : nullptr;
    const auto before = first_.find(cluster_queue);
    if (before != first_.end()) {
        if (before->second == first) {
            return;
        }
        order_.erase({before->second, cluster_queue});
        first_.erase(before);
    }
    if (first != nullptr) {
        order_.insert({first, cluster_queue});
        first_.emplace(cluster_queue, first);
    }
}

}  // namespace sluice::engine
