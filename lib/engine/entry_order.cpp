// The order in which a cycle processes its entries: spec 3.11 and, under fair sharing, 3.12.
#include "base/assert.hpp"
#include "engine/cycle.hpp"
#include "engine/fair_sharing.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace sluice::engine {

const Share& CycleEntry::share_below(NodeIndex cohort) const {
    const auto at = std::find_if(shares.begin(), shares.end(), [cohort](const auto& share) {
        return share.first == cohort;
    });
    SLUICE_ASSERT(at != shares.end());
    return at->second;
}

void Cycle::order() {
    if (!state_.options_.fair_sharing) {
        for (auto& entry : entries_) {
            classical_.push_back(&entry);
        }
        const auto before = [this](const CycleEntry* a, const CycleEntry* b) {
            if (state_.options_.gates.prioritize_preemptor_workloads &&
                a->is_preemptor != b->is_preemptor) {
                return a->is_preemptor;
            }
            if (a->assignment.level != b->assignment.level) {
                return a->assignment.level < b->assignment.level;
            }
            const WorkloadRecord& x = state_.workloads_[a->workload.at()];
            const WorkloadRecord& y = state_.workloads_[b->workload.at()];
            if (state_.options_.gates.priority_sorting_within_cohort && x.priority != y.priority) {
                return x.priority > y.priority;
            }
            return std::tie(x.queue_order, x.uid, x.key) < std::tie(y.queue_order, y.uid, y.key);
        };
        std::sort(classical_.begin(), classical_.end(), before);
        std::reverse(classical_.begin(), classical_.end());
        return;
    }
    fair_.assign(state_.tree_.size(), nullptr);
    for (auto& entry : entries_) {
        fair_[entry.cluster_queue.at()] = &entry;
        fair_queues_.push_back(entry.cluster_queue);
    }
    // Trees by the name of their root; a ClusterQueue without cohort is a tree of its own.
    std::stable_sort(fair_queues_.begin(), fair_queues_.end(), [this](NodeIndex a, NodeIndex b) {
        const auto& x = state_.tree_.node(state_.tree_.node(a).root);
        const auto& y = state_.tree_.node(state_.tree_.node(b).root);
        return std::tie(x.name, x.is_cluster_queue) < std::tie(y.name, y.is_cluster_queue);
    });
    std::reverse(fair_queues_.begin(), fair_queues_.end());
}

CycleEntry* Cycle::next_entry() {
    if (!state_.options_.fair_sharing) {
        if (classical_.empty()) {
            return nullptr;
        }
        CycleEntry* next = classical_.back();
        classical_.pop_back();
        return next;
    }
    while (!fair_queues_.empty() && fair_[fair_queues_.back().at()] == nullptr) {
        fair_queues_.pop_back();
    }
    if (fair_queues_.empty()) {
        return nullptr;
    }
    const NodeIndex queue = fair_queues_.back();
    const auto& node = state_.tree_.node(queue);
    CycleEntry* next = node.parent.is_valid() ? tournament_winner(node.root) : fair_[queue.at()];
    fair_[next->cluster_queue.at()] = nullptr;
    return next;
}

CycleEntry* Cycle::tournament_winner(NodeIndex root) {
    // The share that each child on an entry's path would have with the entry admitted.
    QuotaTree& tree = state_.tree_;
    for (const auto queue : tree.cluster_queues_of(root)) {
        CycleEntry* entry = fair_[queue.at()];
        if (entry == nullptr) {
            continue;
        }
        const auto mark = tree.mark();
        tree.assume_usage(queue, entry->assignment.usage);
        entry->shares.clear();
        for (NodeIndex at = queue; tree.node(at).parent.is_valid(); at = tree.node(at).parent) {
            entry->shares.emplace_back(tree.node(at).parent, share_of(state_, at));
        }
        tree.rollback(mark);
    }
    return tournament(root);
}

CycleEntry* Cycle::tournament(NodeIndex cohort) {
    CycleEntry* best = nullptr;
    for (const auto child : state_.tree_.node(cohort).children) {
        CycleEntry* candidate =
            state_.tree_.node(child).is_cluster_queue ? fair_[child.at()] : tournament(child);
        if (candidate != nullptr && (best == nullptr || beats(*candidate, *best, cohort))) {
            best = candidate;
        }
    }
    return best;
}

bool Cycle::beats(const CycleEntry& a, const CycleEntry& b, NodeIndex cohort) {
    const Gates& gates = state_.options_.gates;
    if (gates.prioritize_preemptor_workloads && a.is_preemptor != b.is_preemptor) {
        return a.is_preemptor;
    }
    const Share& a_share = a.share_below(cohort);
    const Share& b_share = b.share_below(cohort);
    if (gates.fair_sharing_prioritize_non_borrowing) {
        const bool a_borrows = a_share.is_borrowing_on(a.assignment.usage);
        const bool b_borrows = b_share.is_borrowing_on(b.assignment.usage);
        if (a_borrows != b_borrows) {
            return !a_borrows;
        }
    }
    const int order = compare(a_share, b_share);
    if (order != 0) {
        return order < 0;
    }
    const WorkloadRecord& x = state_.workloads_[a.workload.at()];
    const WorkloadRecord& y = state_.workloads_[b.workload.at()];
    if (gates.priority_sorting_within_cohort && x.priority != y.priority) {
        return x.priority > y.priority;
    }
    return std::tie(x.queue_order, x.uid, x.key) < std::tie(y.queue_order, y.uid, y.key);
}

}  // namespace sluice::engine
