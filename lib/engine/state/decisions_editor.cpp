#include "engine/state/decisions_editor.hpp"

#include "base/assert.hpp"

#include <utility>

namespace sluice::engine {

void DecisionsEditor::commit(CycleDecision& decision) {
    SLUICE_ASSERT(decision.version == data_.version);
    ++data_.version;
    if (decision.is_blocked) {
        return;
    }
    data_.blocked_until_ready = decision.blocks;
    data_.held_back = decision.held_back;
    if (decision.result.cycle != 0) {
        data_.cycle = decision.result.cycle;
    }
    for (const HeadOutcome& head : decision.heads) {
        queues_.pop(head.workload);
    }
    for (HeadOutcome& head : decision.heads) {
        if (head.holding != nullptr) {
            holders_.begin_assumed(head);
        }
    }
    for (const auto victim : decision.evicted) {
        holders_.evict(victim);
    }
    for (SecondPassOutcome& outcome : decision.second_passes) {
        holders_.settle_second_pass(outcome);
    }
    for (HeadOutcome& head : decision.heads) {
        WorkloadRecord& workload = record(head.workload);
        if (!workload.is_inflight) {
            continue;
        }
        workload.last_assignment = std::move(head.progress);
        if (head.is_preemptor) {
            queues_.set_preemptor(head.cluster_queue, head.workload, head.victims);
        }
        queues_.requeue(head.workload, head.requeued);
        if (head.parks_class) {
            queues_.park_class(head.cluster_queue, workload.scheduling_class);
        }
    }
}

}  // namespace sluice::engine
