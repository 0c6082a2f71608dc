#include "engine/preemption/fair_share_bounds.hpp"

#include "engine/preemption/preemption.hpp"

#include <algorithm>
#include <utility>

namespace sluice::engine {

void HighestShares::add(NodeIndex cohort, NodeIndex child, const ShareRank& share) {
    const auto [at, is_new] = by_cohort_.try_emplace(cohort, Highest{child, share, std::nullopt});
    Highest& highest = at->second;
    if (is_new) {
        return;
    }
    if (child == highest.child) {
        highest.first = std::max(highest.first, share);
    } else if (share > highest.first) {
        highest.second = std::exchange(highest.first, share);
        highest.child = child;
    } else if (!highest.second || share > *highest.second) {
        highest.second = share;
    }
}

std::optional<ShareRank> HighestShares::beside(NodeIndex cohort, NodeIndex child) const {
    const auto at = by_cohort_.find(cohort);
    if (at == by_cohort_.end()) {
        return std::nullopt;
    }
    return child == at->second.child ? at->second.second : std::optional(at->second.first);
}

const ShareComparisons& FairShareBounds::comparisons() {
    if (!comparisons_) {
        comparisons_.emplace(context_, root_, needed_);
    }
    return *comparisons_;
}

void FairShareBounds::update(NodeIndex cluster_queue) {
    if (comparisons_) {
        comparisons_->update(cluster_queue);
    }
    before_.reset();
    after_.reset();
}

void FairShareBounds::add_shares(HighestShares& shares, NodeIndex cluster_queue) const {
    for (NodeIndex at = cluster_queue; context_.view.node(at).parent.is_valid();
         at = context_.view.node(at).parent) {
        shares.add(
            context_.view.node(at).parent, at, rank_of(share_of(context_.state, context_.view, at))
        );
    }
}

HighestShares FairShareBounds::shares_before() const {
    HighestShares shares;
    for (const auto queue : context_.view.above_quota(root_, needed_)) {
        add_shares(shares, queue);
    }
    return shares;
}

HighestShares FairShareBounds::shares_after() const {
    HighestShares shares;
    for (const auto queue : context_.view.above_quota(root_, needed_)) {
        for (const auto index : context_.state.cluster_queue(queue).holders) {
            const Usages& usages = context_.state.workload(index).holding->usages;
            if (context_.removed.contains(index) || !uses_any(usages, needed_)) {
                continue;
            }
            const UsageView::Trial trial(context_.view);
            context_.view.remove(held_by(context_.state, index));
            add_shares(shares, queue);
        }
    }
    return shares;
}

std::optional<ShareRank> FairShareBounds::highest_beside(NodeIndex node) const {
    if (before_) {
        return before_->beside(context_.view.node(node).parent, node);
    }
    return comparisons_ ? comparisons_->highest_beside(node) : std::nullopt;
}

FairShareBounds::OwnShares FairShareBounds::own_shares(const PreemptionRequest& preemptor) const {
    OwnShares made;
    Usages usages = preemptor.usage;
    NodeIndex at = preemptor.cluster_queue;
    for (NodeIndex parent = context_.view.node(at).parent; parent.is_valid();
         parent = context_.view.node(at).parent) {
        if (const auto beside = highest_beside(at)) {
            made.push_back(
                {at, rank_of(share_of(context_.state, context_.view, at, usages)), *beside}
            );
        }
        usages = context_.view.counted_above(at, std::move(usages), parent);
        at = parent;
    }
    return made;
}

bool FairShareBounds::excludes_victims(const PreemptionRequest& preemptor, bool by_usage_alone) {
    const auto& strategies = context_.state.options().fair_sharing_strategies;
    const bool final_counts =
        strategies.front() == FairSharingStrategy::LessThanOrEqualToFinalShare;
    const bool initial_counts = !final_counts || strategies.size() > 1;

    if (!before_ && (by_usage_alone || !comparisons_)) {
        before_ = shares_before();
    }
    const OwnShares own = own_shares(preemptor);
    const auto is_below = [](const Own& o) { return o.share < o.beside; };
    if (initial_counts && std::any_of(own.begin(), own.end(), is_below)) {
        return false;
    }
    // An eviction does not raise a share, so shares above the first bound are above the second one
    // too.
    const auto is_above = [](const Own& o) { return o.share > o.beside; };
    if (!final_counts || std::all_of(own.begin(), own.end(), is_above)) {
        return true;
    }
    if (!after_) {
        after_ = shares_after();
    }
    return std::none_of(own.begin(), own.end(), [this](const Own& o) {
        const auto highest = after_->beside(context_.view.node(o.node).parent, o.node);
        return highest && o.share <= *highest;
    });
}

}  // namespace sluice::engine
