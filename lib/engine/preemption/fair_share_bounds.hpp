// Shows without a search that fair sharing allows no preemption (KEP-1714).
#pragma once

#include "base/small_vector.hpp"
#include "engine/preemption/preemption_context.hpp"
#include "engine/preemption/share_comparisons.hpp"
#include "engine/quota/usage_view.hpp"
#include "engine/state/fair_sharing.hpp"
#include "engine/types/ids.hpp"

#include <map>
#include <optional>
#include <utility>

namespace sluice::engine {

struct PreemptionRequest;

/// For each cohort, the child with the highest share, and the highest share of its other children.
class HighestShares {
  public:
    void add(NodeIndex cohort, NodeIndex child, const ShareRank& share);
    /// Returns the highest share of the cohort's children other than `child`; nullopt if no other
    /// child was added.
    std::optional<ShareRank> beside(NodeIndex cohort, NodeIndex child) const;

  private:
    struct Highest {
        NodeIndex child;
        ShareRank first;
        std::optional<ShareRank> second;
    };
    std::map<NodeIndex, Highest> by_cohort_;
};

/// Shows without a search that the strategies of fair sharing do not let a workload preempt any
/// workload of its cohorts: its own share is above all shares that it could be compared with. In a
/// full cluster in which all queues have their share, this is so for nearly every head.
///
/// The shares of other nodes do not depend on the preemptor: they are computed once, and again
/// after usage has changed.
class FairShareBounds {
  public:
    /// Bounds for the tree below `root` and for preemptors that need `needed`, with the usage that
    /// the view shows.
    FairShareBounds(const PreemptionContext& context, NodeIndex root, const FlavorResources& needed)
        : context_(context), root_(root), needed_(needed) {}

    /// Reports that the usage or the holders of a ClusterQueue of the tree have changed; required
    /// after each such change.
    void update(NodeIndex cluster_queue);
    /// Returns the order of the ClusterQueues to take victims from; built by the first call.
    const ShareComparisons& comparisons();

    /// Returns true if neither strategy accepts any workload of another ClusterQueue. False is not
    /// certain, because the bounds are not exact. They are closer after comparisons() was called,
    /// unless `by_usage_alone`: then the result does not depend on earlier searches. Requires: the
    /// view has the usage with which a search begins.
    bool excludes_victims(const PreemptionRequest& preemptor, bool by_usage_alone);

  private:
    /// With the current usage.
    HighestShares shares_before() const;
    /// With the usage after the eviction of each candidate alone.
    HighestShares shares_after() const;
    void add_shares(HighestShares& shares, NodeIndex cluster_queue) const;
    std::optional<ShareRank> highest_beside(NodeIndex node) const;
    /// The preemptor's ClusterQueue and the cohorts above it, if victims are possible next to them,
    /// each with its share after the preemptor's admission.
    struct Own {
        NodeIndex node;
        ShareRank share;
        ShareRank beside;  ///< highest share of its siblings
    };
    using OwnShares = SmallVector<Own, 4>;
    OwnShares own_shares(const PreemptionRequest& preemptor) const;

    PreemptionContext context_;
    NodeIndex root_;
    FlavorResources needed_;
    std::optional<ShareComparisons> comparisons_;  // built by comparisons()
    std::optional<HighestShares> before_;          // with the current usage
    std::optional<HighestShares> after_;
};

}  // namespace sluice::engine
