#include "engine/cycle/fair_tournament.hpp"

#include <algorithm>
#include <tuple>

namespace sluice::engine {

FairTournament::Standing& FairTournament::standing_of(NodeIndex index) {
    Standing& found = standings_[index];
    Standing* below = &found;
    NodeIndex at = index;
    while (!below->node.is_valid()) {  // new, and so its parents may be
        below->node = at;
        at = state_.tree().node(at).parent;
        if (!at.is_valid()) {
            break;
        }
        below->parent = &standings_[at];
        below = below->parent;
    }
    return found;
}

void FairTournament::enter(const std::vector<CycleEntry*>& entries, const UsageView& view) {
    for (CycleEntry* entry : entries) {
        standing_of(entry->cluster_queue).winner = entry;
    }
    std::vector<Standing*> children_first;
    for (auto& [index, standing] : standings_) {
        children_first.push_back(&standing);
        if (standing.parent == nullptr) {
            roots_.push_back(&standing);
        }
    }
    std::stable_sort(
        children_first.begin(),
        children_first.end(),
        [this](const Standing* a, const Standing* b) {
            return state_.tree().node(a->node).depth > state_.tree().node(b->node).depth;
        }
    );
    for (Standing* standing : children_first) {
        std::make_heap(standing->contest.begin(), standing->contest.end(), Loses{state_});
        choose(*standing, view);
        if (standing->parent != nullptr) {
            standing->parent->contest.push_back(standing);
        }
    }
    // A ClusterQueue without cohort is a tree of its own.
    std::sort(roots_.begin(), roots_.end(), [this](const Standing* a, const Standing* b) {
        const auto& x = state_.tree().node(a->node);
        const auto& y = state_.tree().node(b->node);
        return std::tie(x.name, x.is_cluster_queue) > std::tie(y.name, y.is_cluster_queue);
    });
}

void FairTournament::choose(Standing& standing, const UsageView& view) {
    const auto& node = state_.tree().node(standing.node);
    const Standing* first = nullptr;
    if (!node.is_cluster_queue) {
        first = standing.contest.empty() ? nullptr : standing.contest.front();
        standing.winner = first == nullptr ? nullptr : first->winner;
    }
    if (standing.winner == nullptr || standing.parent == nullptr) {
        return;
    }
    const Usages& usage = standing.winner->assignment.usage;
    standing.usage =
        first == nullptr ? usage : view.counted_above(first->node, first->usage, standing.node);
    standing.share = share_of(state_, view, standing.node, standing.usage);
    standing.borrows = standing.share.is_borrowing_on(usage);
}

bool FairTournament::Loses::operator()(const Standing* a, const Standing* b) const {
    const Gates& gates = state.options().gates;
    const CycleEntry& x = *a->winner;
    const CycleEntry& y = *b->winner;
    if (gates.prioritize_preemptor_workloads && x.is_preemptor != y.is_preemptor) {
        return y.is_preemptor;
    }
    if (gates.fair_sharing_prioritize_non_borrowing && a->borrows != b->borrows) {
        return a->borrows;
    }
    const int order = compare(a->share, b->share);
    if (order != 0) {
        return order > 0;
    }
    const WorkloadRecord& v = state.workload(x.workload);
    const WorkloadRecord& w = state.workload(y.workload);
    if (gates.priority_sorting_within_cohort && v.priority != w.priority) {
        return v.priority < w.priority;
    }
    return is_before_by_time(w, v);
}

CycleEntry* FairTournament::pop(const UsageView& view) {
    if (processed_ != nullptr) {
        leave(*processed_, view);
        processed_ = nullptr;
    }
    while (!roots_.empty() && roots_.back()->winner == nullptr) {
        roots_.pop_back();
    }
    if (roots_.empty()) {
        return nullptr;
    }
    CycleEntry* next = roots_.back()->winner;
    processed_ = &standings_.at(next->cluster_queue);
    return next;
}

void FairTournament::leave(Standing& cluster_queue, const UsageView& view) {
    cluster_queue.winner = nullptr;
    // Its entry has won, and so is the first of each contest on its way up.
    for (Standing* at = &cluster_queue; at->parent != nullptr; at = at->parent) {
        auto& contest = at->parent->contest;
        std::pop_heap(contest.begin(), contest.end(), Loses{state_});
        if (at->winner == nullptr) {
            contest.pop_back();
        } else {
            std::push_heap(contest.begin(), contest.end(), Loses{state_});
        }
        choose(*at->parent, view);
    }
}

}  // namespace sluice::engine
