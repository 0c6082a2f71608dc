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
/// holders that use it, in the order of their best victims.
///
/// *Cost*: of the holders of those ClusterQueues at first, then of a change the logarithm of the
/// ClusterQueues' number.
class OverdrawnQueues {
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

    /// Of the tree below `root`.
    OverdrawnQueues(
        const PreemptionContext& context, NodeIndex root, const FlavorResources& needed
    );

    /// To be called for each ClusterQueue of the tree whose usage or holders have changed.
    void update(NodeIndex cluster_queue);
    const Order& in_order() const { return order_; }

  private:
    PreemptionContext context_;
    FlavorResources needed_;
    Order order_;
    std::map<NodeIndex, const Candidate*> first_;  // in the order, each with its best victim
};

}  // namespace sluice::engine
