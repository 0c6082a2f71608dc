#pragma once

#include "engine/fair_sharing.hpp"
#include "engine/ids.hpp"
#include "engine/quota_tree.hpp"
#include "engine/state.hpp"

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace sluice::engine {

struct Preemptor;

/// Tells without a search when the strategies of fair sharing (spec 5.8) let a workload preempt
/// nobody in its cohorts: when its own share is above all that they could be compared with. In a
/// full cluster in which all have their share that holds for nearly every head.
///
/// What others could be compared with does not depend on who asks: it is worked out once for the
/// usage that the tree has, and again when that has changed.
class FairShareBounds {
  public:
    FairShareBounds(const State& state, QuotaTree& tree, const std::set<WorkloadIndex>& removed)
        : state_(state), tree_(tree), removed_(removed) {}

    /// Whether neither strategy accepts any workload of another ClusterQueue. False says nothing:
    /// bounds are not exact. Requires: the tree's usage is that of the beginning of a search.
    bool is_in_vain(const Preemptor& preemptor);

  private:
    /// The highest share among the children of a cohort, and the highest among the others.
    struct Highest {
        NodeIndex child;
        Share first;
        std::optional<Share> second;

        void add(NodeIndex node, const Share& share);
        /// Of the children but that one; null if there are none.
        const Share* without(NodeIndex node) const {
            return node != child ? &first : second ? &*second : nullptr;
        }
    };
    using ByCohort = std::map<NodeIndex, Highest>;
    /// For the ClusterQueues of a tree that use more than their quota of what is asked for.
    struct Bounds {
        ByCohort before;
        std::optional<ByCohort> after;  ///< when one workload less is counted
    };

    Bounds& bounds_for(NodeIndex root, const FlavorResources& needed);
    void add_shares(ByCohort& shares, NodeIndex cluster_queue) const;
    ByCohort shares_after(NodeIndex root, const FlavorResources& needed) const;
    /// Of the preemptor's ClusterQueue and the cohorts above it those with others beside them, each
    /// with its share if the preemptor were admitted.
    using OwnShares = SmallVector<std::pair<NodeIndex, Share>, 4>;
    OwnShares own_shares(const Preemptor& preemptor, const ByCohort& others) const;
    const Share* highest_beside(NodeIndex node, const ByCohort& shares) const;
    /// Whether in some cohort the own share is below that of another child, or like it.
    bool is_accepted(const OwnShares& own, const ByCohort& shares, bool equal_counts) const;

    const State& state_;
    QuotaTree& tree_;
    const std::set<WorkloadIndex>& removed_;
    QuotaTree::Mark counted_at_ = 0;
    std::map<std::pair<NodeIndex, FlavorResources>, Bounds> bounds_;
};

}  // namespace sluice::engine
