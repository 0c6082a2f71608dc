// ClusterQueues that use more than their quota, ordered by their best victims.
#pragma once

#include "engine/preemption/candidate_lists.hpp"
#include "engine/preemption/preemption_context.hpp"
#include "engine/quota/usage_view.hpp"
#include "engine/state/state.hpp"
#include "engine/types/ids.hpp"

#include <map>
#include <set>

namespace sluice::engine {

/// The ClusterQueues of a tree that use more than their quota of what a preemptor needs and have
/// holders that use it, ordered by their best victims.
///
/// *Cost*: at first proportional to the holders of those ClusterQueues; then, for each change,
/// logarithmic in the number of ClusterQueues.
class QueuesAboveQuota {
  public:
    struct Queue {
        const Candidate* first = nullptr;
        NodeIndex node;
    };
    struct Before {
        const State* state = nullptr;
        bool operator()(const Queue& a, const Queue& b) const {
            return is_better_victim(*state, *a.first, 0, *b.first, 0);
        }
    };
    using Order = std::set<Queue, Before>;

    /// Builds the order for the tree below `root`.
    QueuesAboveQuota(
        const PreemptionContext& context, NodeIndex root, const FlavorResources& needed
    );

    /// Reports that the usage or the holders of a ClusterQueue of the tree have changed; required
    /// after each such change.
    void update(NodeIndex cluster_queue);
    const Order& in_order() const { return order_; }

  private:
    PreemptionContext context_;
    FlavorResources needed_;
    Order order_;
    std::map<NodeIndex, const Candidate*> first_;  // the best victim of each ClusterQueue in order_
};

}  // namespace sluice::engine
