// The decision of a cycle, committed.
#include "base/assert.hpp"
#include "engine/state/state_editor.hpp"

#include <utility>

namespace sluice::engine {

void StateEditor::commit(CycleDecision& decision) {
    SLUICE_ASSERT(decision.version == data_.version);
    begin_change();
    if (decision.is_blocked) {
        return;
    }
    data_.blocked_until_ready = decision.blocks;
    data_.held_back = decision.held_back;
    if (decision.result.cycle != 0) {
        data_.cycle = decision.result.cycle;
    }
    for (const HeadOutcome& head : decision.heads) {
        pop(head.workload);
    }
    for (HeadOutcome& head : decision.heads) {
        if (head.holding != nullptr) {
            hold_decided(head);
        }
    }
    for (const auto victim : decision.evicted) {
        WorkloadRecord& workload = record(victim);
        workload.eviction_expected = true;
        workload.eviction = ++data_.evictions;
        workload.holding.write().evicted = true;
    }
    for (HeadOutcome& head : decision.heads) {
        if (!record(head.workload).is_inflight) {
            continue;
        }
        record(head.workload).last_assignment = std::move(head.progress);
        if (head.is_preemptor) {
            set_preemptor(head.cluster_queue, head.workload, head.victims);
        }
        requeue(head.workload, head.requeued);
        if (head.parks_class) {
            park_class(head.cluster_queue, record(head.workload).scheduling_class);
        }
    }
}

void StateEditor::hold_decided(HeadOutcome& head) {
    WorkloadRecord& workload = record(head.workload);
    workload.queueable = false;
    workload.assumed = true;
    workload.reservation_shown = false;
    workload.eviction_expected = false;
    workload.pods_ready = false;
    workload.last_assignment.reset();
    hold(head.workload, std::move(head.holding));
    charge_admission(head.workload);
}

}  // namespace sluice::engine
