#include "engine/cycle/fair_tournament.hpp"

#include <algorithm>
#include <tuple>

namespace sluice::engine {

FairTournament::Entrant& FairTournament::entrant_of(NodeIndex index) {
    Entrant& found = entrants_[index];
    Entrant* below = &found;
    NodeIndex at = index;
    while (!below->node.is_valid()) {  // new, and so its parents may be
        below->node = at;
        at = state_.tree().node(at).parent;
        if (!at.is_valid()) {
            break;
        }
        below->parent = &entrants_[at];
        below = below->parent;
    }
    return found;
}

void FairTournament::enter(const std::vector<CycleEntry*>& entries, const UsageView& view) {
    for (CycleEntry* entry : entries) {
        entrant_of(entry->cluster_queue).winner = entry;
    }
    std::vector<Entrant*> children_first;
    for (auto& [index, entrant] : entrants_) {
        children_first.push_back(&entrant);
        if (entrant.parent == nullptr) {
            roots_.push_back(&entrant);
        }
    }
    std::stable_sort(
        children_first.begin(),
        children_first.end(),
        [this](const Entrant* a, const Entrant* b) {
            return state_.tree().node(a->node).depth > state_.tree().node(b->node).depth;
        }
    );
    for (Entrant* entrant : children_first) {
        std::make_heap(entrant->contest.begin(), entrant->contest.end(), Loses{state_});
        choose(*entrant, view);
        if (entrant->parent != nullptr) {
            entrant->parent->contest.push_back(entrant);
        }
    }
    // A ClusterQueue without cohort is a tree of its own.
    std::sort(roots_.begin(), roots_.end(), [this](const Entrant* a, const Entrant* b) {
        const auto& x = state_.tree().node(a->node);
        const auto& y = state_.tree().node(b->node);
        return std::tie(x.name, x.is_cluster_queue) > std::tie(y.name, y.is_cluster_queue);
    });
}

void FairTournament::choose(Entrant& entrant, const UsageView& view) {
    const auto& node = state_.tree().node(entrant.node);
    const Entrant* first = nullptr;
    if (!node.is_cluster_queue) {
        first = entrant.contest.empty() ? nullptr : entrant.contest.front();
        entrant.winner = first == nullptr ? nullptr : first->winner;
    }
    if (entrant.winner == nullptr || entrant.parent == nullptr) {
        return;
    }
    const Usages& usage = entrant.winner->demand().usages;
    entrant.usage =
        first == nullptr ? usage : view.counted_above(first->node, first->usage, entrant.node);
    entrant.share = share_of(state_, view, entrant.node, entrant.usage);
    entrant.borrows = entrant.share.is_borrowing_on(usage);
}

bool FairTournament::Loses::operator()(const Entrant* a, const Entrant* b) const {
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
    processed_ = &entrants_.at(next->cluster_queue);
    return next;
}

void FairTournament::leave(Entrant& cluster_queue, const UsageView& view) {
    cluster_queue.winner = nullptr;
    // Its entry has won, and so is the first of each contest on its way up.
    for (Entrant* at = &cluster_queue; at->parent != nullptr; at = at->parent) {
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
