#include "engine/fair_share_bounds.hpp"

#include "engine/preemption.hpp"

#include <algorithm>
#include <utility>

namespace sluice::engine {

void FairShareBounds::Highest::add(NodeIndex node, const Share& share) {
    if (node == child) {
        if (compare(share, first) > 0) {
            first = share;
        }
        return;
    }
    if (!child.is_valid()) {
        first = share;
        child = node;
    } else if (compare(share, first) > 0) {
        second = std::exchange(first, share);
        child = node;
    } else if (!second || compare(share, *second) > 0) {
        second = share;
    }
}

FairShareBounds::Bounds& FairShareBounds::bounds_for(
    NodeIndex root, const std::vector<FlavorResourceIndex>& needed
) {
    if (tree_.mark() != counted_at_) {
        bounds_.clear();
        counted_at_ = tree_.mark();
    }
    const auto [at, is_new] = bounds_.try_emplace({root, needed});
    if (is_new) {
        for (const auto queue : tree_.above_quota(root, needed)) {
            add_shares(at->second.before, queue);
        }
    }
    return at->second;
}

void FairShareBounds::add_shares(ByCohort& shares, NodeIndex cluster_queue) const {
    for (NodeIndex at = cluster_queue; tree_.node(at).parent.is_valid();
         at = tree_.node(at).parent) {
        shares[tree_.node(at).parent].add(at, share_of(state_, at));
    }
}

FairShareBounds::ByCohort FairShareBounds::shares_after(
    NodeIndex root, const std::vector<FlavorResourceIndex>& needed
) const {
    ByCohort shares;
    for (const auto queue : tree_.above_quota(root, needed)) {
        for (const auto index : state_.cluster_queue(queue).holders) {
            const Usages& usages = state_.workload(index).holding->usages;
            if (removed_.contains(index) || !uses_any(usages, needed)) {
                continue;
            }
            const auto mark = tree_.mark();
            tree_.assume_no_usage(queue, usages);
            add_shares(shares, queue);
            tree_.rollback(mark);
        }
    }
    return shares;
}

template <class Accepts>
bool FairShareBounds::any_cohort(const ByCohort& shares, NodeIndex cluster_queue, Accepts accepts)
    const {
    for (NodeIndex own = cluster_queue; tree_.node(own).parent.is_valid();
         own = tree_.node(own).parent) {
        const auto children = shares.find(tree_.node(own).parent);
        const Share* others = children == shares.end() ? nullptr : children->second.without(own);
        if (others != nullptr && accepts(share_of(state_, own), *others)) {
            return true;
        }
    }
    return false;
}

bool FairShareBounds::is_in_vain(const Preemptor& preemptor) {
    const NodeIndex queue = preemptor.cluster_queue;
    Bounds& bounds = bounds_for(tree_.node(queue).root, preemptor.needed);
    const auto& strategies = state_.options().fair_sharing_strategies;
    const bool final_counts =
        strategies.front() == FairSharingStrategy::LessThanOrEqualToFinalShare;
    const bool initial_counts = !final_counts || strategies.size() > 1;

    const auto mark = tree_.mark();
    tree_.assume_usage(queue, preemptor.usage);
    const auto is_accepted = [&](const ByCohort& shares, bool equal_counts) {
        return any_cohort(shares, queue, [&](const Share& own, const Share& other) {
            const int order = compare(own, other);
            return order < 0 || (order == 0 && equal_counts);
        });
    };
    // No workload less makes a share larger: what the first bound excludes needs no second.
    bool accepted = initial_counts && is_accepted(bounds.before, false);
    if (!accepted && final_counts && is_accepted(bounds.before, true)) {
        if (!bounds.after) {
            tree_.rollback(mark);
            bounds.after = shares_after(tree_.node(queue).root, preemptor.needed);
            tree_.assume_usage(queue, preemptor.usage);
        }
        accepted = is_accepted(*bounds.after, true);
    }
    tree_.rollback(mark);
    return !accepted;
}

}  // namespace sluice::engine
