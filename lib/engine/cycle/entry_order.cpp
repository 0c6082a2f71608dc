// The order in which a cycle processes its entries: those that hold quota already go first, then
// the one that borrows least goes first, then by
// priority and time; under fair sharing by a tournament.
#include "engine/cycle/cycle.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace sluice::engine {

void Cycle::order() {
    std::vector<CycleEntry*> entries;
    entries.reserve(entries_.size());
    for (auto& entry : entries_) {
        if (entry.workload != was_held_back_) {
            entries.push_back(&entry);
        }
    }
    if (!state_.options().fair_sharing) {
        classical_ = std::move(entries);
        const auto before = [this](const CycleEntry* a, const CycleEntry* b) {
            if (a->holds_quota != b->holds_quota) {
                return a->holds_quota;
            }
            if (state_.options().gates.prioritize_preemptor_workloads &&
                a->is_preemptor != b->is_preemptor) {
                return a->is_preemptor;
            }
            if (a->assignment.level != b->assignment.level) {
                return a->assignment.level < b->assignment.level;
            }
            const WorkloadRecord& x = state_.workload(a->workload);
            const WorkloadRecord& y = state_.workload(b->workload);
            if (state_.options().gates.priority_sorting_within_cohort && x.priority != y.priority) {
                return x.priority > y.priority;
            }
            return is_before_by_time(x, y);
        };
        std::sort(classical_.begin(), classical_.end(), before);
        std::reverse(classical_.begin(), classical_.end());
        return;
    }
    fair_.enter(entries, as_is());
}

CycleEntry* Cycle::next_entry() {
    if (!state_.options().fair_sharing) {
        if (classical_.empty()) {
            return nullptr;
        }
        CycleEntry* next = classical_.back();
        classical_.pop_back();
        return next;
    }
    return fair_.pop(as_is());
}

}  // namespace sluice::engine
