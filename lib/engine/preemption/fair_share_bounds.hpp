#pragma once

#include "base/small_vector.hpp"
#include "engine/preemption/preemption_context.hpp"
#include "engine/preemption/share_contests.hpp"
#include "engine/quota/usage_view.hpp"
#include "engine/state/fair_sharing.hpp"
#include "engine/types/ids.hpp"

#include <map>
#include <optional>
#include <utility>

namespace sluice::engine {

struct PreemptionRequest;

/// Of each cohort the highest share among its children, and the highest among the others.
class HighestShares {
  public:
    void add(NodeIndex cohort, NodeIndex child, const ShareRank& share);
    /// Among the children of that cohort but this one; none: there are no others.
    std::optional<ShareRank> beside(NodeIndex cohort, NodeIndex child) const;

  private:
    struct Highest {
        NodeIndex child;
        ShareRank first;
        std::optional<ShareRank> second;
    };
    std::map<NodeIndex, Highest> by_cohort_;
};

/// Tells without a search when the strategies of fair sharing let a workload preempt
/// none in its cohorts: when its own share is above all that they could be compared with. In a
/// full cluster in which all have their share that holds for nearly every head.
///
/// What others could be compared with does not depend on what asks: it is worked out once, and
/// again when usage has changed.
class FairShareBounds {
  public:
    /// What could be taken from the tree below `root` for `needed` as its usage is now.
    FairShareBounds(const PreemptionContext& context, NodeIndex root, const FlavorResources& needed)
        : context_(context), root_(root), needed_(needed) {}

    /// To be called for each ClusterQueue of the tree whose usage or holders have changed.
    void update(NodeIndex cluster_queue);
    const ShareContests& contests();

    /// Whether neither strategy accepts any workload of another ClusterQueue. False says nothing:
    /// bounds are not exact, and closer where contests() are known, unless `by_usage_alone`: then
    /// the answer does not depend on what others asked. Requires: the tree's usage is that of the
    /// beginning of a search.
    bool is_in_vain(const PreemptionRequest& preemptor, bool by_usage_alone);

  private:
    HighestShares shares_before() const;
    /// With each candidate's eviction alone.
    HighestShares shares_after() const;
    void add_shares(HighestShares& shares, NodeIndex cluster_queue) const;
    std::optional<ShareRank> highest_beside(NodeIndex node) const;
    /// Of the preemptor's ClusterQueue and the cohorts above it those with others beside them, each
    /// with its share if the preemptor were admitted.
    struct Own {
        NodeIndex node;
        ShareRank share;
        ShareRank beside;  ///< the highest share there
    };
    using OwnShares = SmallVector<Own, 4>;
    OwnShares own_shares(const PreemptionRequest& preemptor) const;

    PreemptionContext context_;
    NodeIndex root_;
    FlavorResources needed_;
    std::optional<ShareContests> contests_;  // once they were asked for
    std::optional<HighestShares> before_;    // as usage is
    std::optional<HighestShares> after_;
};

}  // namespace sluice::engine
