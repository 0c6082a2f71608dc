#include "engine/preemption/share_comparisons.hpp"

#include <algorithm>
#include <utility>

namespace sluice::engine {

bool gives_first(
    const State& state, const Contestant& a, const Contestant& b, NodeIndex preemptor_queue
) {
    if (a.share != b.share) {
        return a.share > b.share;
    }
    if (a.first != nullptr) {
        const int own_of_a = a.node == preemptor_queue ? 1 : 0;
        const int own_of_b = b.node == preemptor_queue ? 1 : 0;
        return is_better_victim(state, *a.first, own_of_a, *b.first, own_of_b);
    }
    // Any fixed order is good: the search compares the victims of cohorts with equal shares.
    return state.tree().node(a.node).name > state.tree().node(b.node).name;
}

ShareComparisons::ShareComparisons(
    const PreemptionContext& context, NodeIndex root, FlavorResources needed
)
    : context_(context), needed_(std::move(needed)) {
    const UsageView& view = context.view;
    std::vector<NodeIndex> cohorts;
    for (const auto queue : view.above_quota(root, needed_)) {
        NodeIndex above = view.node(queue).parent;
        for (; above.is_valid() && children_.try_emplace(above, make_children()).second;
             above = view.node(above).parent) {
            cohorts.push_back(above);
        }
        place(queue);
    }
    for (const auto cohort : cohorts) {
        place(cohort);
    }
}

std::optional<Contestant> ShareComparisons::contestant_of(NodeIndex node) {
    const UsageView& view = context_.view;
    Contestant made{.share = {}, .first = nullptr, .node = node};
    if (!view.node(node).parent.is_valid()) {
        return std::nullopt;
    }
    if (view.node(node).is_cluster_queue) {
        if (!view.is_above_quota(node, needed_)) {
            return std::nullopt;
        }
        made.first = context_.candidates.in(node, needed_).first_but(context_.removed);
        if (made.first == nullptr) {
            return std::nullopt;
        }
    } else if (!children_.contains(node)) {
        return std::nullopt;
    }
    const Share share = share_of(context_.state, view, node);
    if (!share.is_borrowing()) {
        return std::nullopt;
    }
    made.share = rank_of(share);
    return made;
}

void ShareComparisons::place(NodeIndex node) {
    const auto now = contestant_of(node);
    const auto before = contestants_.find(node);
    const bool was = before != contestants_.end();
    if (!was && !now) {
        return;
    }
    if (was && now && before->second.share == now->share && before->second.first == now->first) {
        return;
    }
    const auto& at = context_.view.node(node);
    const auto children = children_.try_emplace(at.parent, make_children()).first;
    Order& order = at.is_cluster_queue ? children->second.queues : children->second.cohorts;
    if (was) {
        order.erase(before->second);
        contestants_.erase(before);
    }
    if (now) {
        order.insert(*now);
        contestants_.emplace(node, *now);
    }
}

void ShareComparisons::update(NodeIndex cluster_queue) {
    for (NodeIndex at = cluster_queue; at.is_valid(); at = context_.view.node(at).parent) {
        place(at);
    }
}

std::optional<ShareRank> ShareComparisons::highest_beside(NodeIndex node) const {
    const Children* children = find(context_.view.node(node).parent);
    if (children == nullptr) {
        return std::nullopt;
    }
    std::optional<ShareRank> highest;
    for (const Order* order : {&children->queues, &children->cohorts}) {
        const auto first = std::find_if(order->begin(), order->end(), [&](const Contestant& c) {
            return c.node != node;
        });
        if (first != order->end() && (!highest || first->share > *highest)) {
            highest = first->share;
        }
    }
    return highest;
}

}  // namespace sluice::engine
