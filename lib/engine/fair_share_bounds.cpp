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
    NodeIndex root, const FlavorResources& needed
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
    NodeIndex root, const FlavorResources& needed
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

const Share* FairShareBounds::highest_beside(NodeIndex node, const ByCohort& shares) const {
    const auto children = shares.find(tree_.node(node).parent);
    return children == shares.end() ? nullptr : children->second.without(node);
}

FairShareBounds::OwnShares FairShareBounds::own_shares(
    const Preemptor& preemptor, const ByCohort& others
) const {
    OwnShares made;
    Usages usages = preemptor.usage;
    NodeIndex at = preemptor.cluster_queue;
    for (NodeIndex parent = tree_.node(at).parent; parent.is_valid();
         parent = tree_.node(at).parent) {
        if (highest_beside(at, others) != nullptr) {
            made.emplace_back(at, share_of(state_, at, usages));
        }
        usages = tree_.counted_above(at, std::move(usages), parent);
        at = parent;
    }
    return made;
}

bool FairShareBounds::is_accepted(const OwnShares& own, const ByCohort& shares, bool equal_counts)
    const {
    return std::any_of(own.begin(), own.end(), [&](const auto& node_and_share) {
        const auto& [node, share] = node_and_share;
        const Share* highest = highest_beside(node, shares);
        if (highest == nullptr) {
            return false;
        }
        const int order = compare(share, *highest);
        return order < 0 || (order == 0 && equal_counts);
    });
}

bool FairShareBounds::is_in_vain(const Preemptor& preemptor) {
    const NodeIndex root = tree_.node(preemptor.cluster_queue).root;
    Bounds& bounds = bounds_for(root, preemptor.needed);
    const auto& strategies = state_.options().fair_sharing_strategies;
    const bool final_counts =
        strategies.front() == FairSharingStrategy::LessThanOrEqualToFinalShare;
    const bool initial_counts = !final_counts || strategies.size() > 1;

    const OwnShares own = own_shares(preemptor, bounds.before);
    if (initial_counts && is_accepted(own, bounds.before, false)) {
        return false;
    }
    // No workload less makes a share larger: what the first bound excludes needs no second.
    if (!final_counts || !is_accepted(own, bounds.before, true)) {
        return true;
    }
    if (!bounds.after) {
        bounds.after = shares_after(root, preemptor.needed);
    }
    return !is_accepted(own, *bounds.after, true);
}

}  // namespace sluice::engine
