#include "engine/state/queues_editor.hpp"

#include "base/assert.hpp"

#include <algorithm>
#include <utility>

namespace sluice::engine {

void QueuesEditor::note_change(WorkloadIndex index) {
    if (!data_.keeps_queue_changes || record(index).queue_changed) {
        return;
    }
    record(index).queue_changed = true;
    data_.queue_changes.write().push_back(index);
}

std::vector<WorkloadIndex> QueuesEditor::take_changes() {
    if (!std::exchange(data_.keeps_queue_changes, true)) {
        for (std::size_t at = 0; at < data_.workloads.size(); ++at) {
            if (data_.workloads[at].is_queued()) {
                note_change(make_index<WorkloadIndex>(at));
            }
        }
    }
    auto taken = std::exchange(data_.queue_changes.write(), {});
    for (const auto index : taken) {
        record(index).queue_changed = false;
    }
    return taken;
}

void QueuesEditor::list_heap(NodeIndex cluster_queue) {
    if (queue(cluster_queue).pending.has_waiting()) {
        data_.with_heap.write().emplace(data_.tree.node(cluster_queue).name, cluster_queue);
    } else {
        data_.with_heap.write().erase(data_.tree.node(cluster_queue).name);
    }
}

void QueuesEditor::push(WorkloadIndex index) {
    const WorkloadRecord& workload = record(index);
    const NodeIndex target = state_.cluster_queue_of(workload);
    SLUICE_ASSERT(target.is_valid() && !workload.is_queued());
    ClusterQueueRecord& into = queue(target);
    note_change(index);
    into.pending.push(
        data_.workloads, index, workload.has_back_off(), state_.usage_in(into, workload.local_queue)
    );
    if (into.pending.waiting() == 1) {
        list_heap(target);
    }
}

void QueuesEditor::park(WorkloadIndex index) {
    const WorkloadRecord& workload = record(index);
    const NodeIndex target = state_.cluster_queue_of(workload);
    SLUICE_ASSERT(target.is_valid() && !workload.is_queued());
    ClusterQueueRecord& into = queue(target);
    note_change(index);
    into.pending.park(
        data_.workloads, index, workload.has_back_off(), state_.usage_in(into, workload.local_queue)
    );
    data_.tree.set_waiting(target, true);
}

void QueuesEditor::take(WorkloadIndex index) {
    WorkloadRecord& workload = record(index);
    if (!workload.is_queued()) {
        return;
    }
    note_change(index);
    // Not state_.cluster_queue_of(): the LocalQueue may be stopped by now, or its ClusterQueue
    // deleted.
    const NodeIndex of = data_.local_queues[workload.local_queue.at()].cluster_queue;
    ClusterQueueRecord& from = queue(of);
    if (std::exchange(workload.is_inflight, false)) {
        from.inflight = WorkloadIndex{};
        return;
    }
    const bool had_heap = from.pending.has_waiting();
    from.pending.remove(data_.workloads, index);
    if (had_heap && !from.pending.has_waiting()) {
        list_heap(of);
    }
}

void QueuesEditor::leave(WorkloadIndex index) {
    take(index);
    clear_preemptor(index);
}

void QueuesEditor::enqueue(WorkloadIndex index) {
    const WorkloadRecord& workload = record(index);
    const NodeIndex target = state_.cluster_queue_of(workload);
    if (!target.is_valid()) {
        return;
    }
    const ClusterQueueRecord& into = queue(target);
    const bool parked_class = into.spec.strategy == QueueingStrategy::BestEffortFIFO &&
                              workload.scheduling_class != 0 &&
                              into.parked_classes.contains(workload.scheduling_class);
    if (!state_.has_back_off_ended(workload, now_) || parked_class) {
        park(index);
    } else {
        push(index);
    }
}

void QueuesEditor::pop(WorkloadIndex index) {
    take(index);
    record(index).is_inflight = true;
    queue(state_.cluster_queue_of(record(index))).inflight = index;
}

void QueuesEditor::requeue(WorkloadIndex index, RequeuedTo to) {
    take(index);
    switch (to) {
        case RequeuedTo::Dropped:
            break;
        case RequeuedTo::Heap:
            push(index);
            break;
        case RequeuedTo::Inadmissible:
            park(index);
            break;
    }
}

void QueuesEditor::open(LocalQueueIndex index) {
    const LocalQueueRecord& local_queue = data_.local_queues[index.at()];
    if (!local_queue.exists || local_queue.stopped || !local_queue.cluster_queue.is_valid() ||
        !queue(local_queue.cluster_queue).exists) {
        return;
    }
    for (const auto workload : local_queue.workloads) {
        const WorkloadRecord& w = record(workload);
        if (w.queueable && w.holding == nullptr && state_.bucket(workload) != Bucket::Heap) {
            take(workload);
            push(workload);  // even if it is in back-off
        }
    }
}

void QueuesEditor::close(LocalQueueIndex index) {
    for (const auto workload : data_.local_queues[index.at()].workloads) {
        leave(workload);
        record(workload).last_assignment.reset();  // it is queued later like a new workload
    }
}

void QueuesEditor::park_class(NodeIndex cluster_queue, std::uint64_t scheduling_class) {
    ClusterQueueRecord& from = queue(cluster_queue);
    if (scheduling_class == 0 || from.spec.strategy != QueueingStrategy::BestEffortFIFO) {
        return;
    }
    from.parked_classes.insert(scheduling_class);
    data_.tree.set_waiting(cluster_queue, true);
    const bool had_heap = from.pending.has_waiting();
    from.pending.park_class(data_.workloads, scheduling_class);
    if (had_heap && !from.pending.has_waiting()) {
        list_heap(cluster_queue);
    }
}

void QueuesEditor::wake(NodeIndex cluster_queue) {
    queue(cluster_queue).parked_classes.clear();
    PendingQueue& woken = queue(cluster_queue).pending;
    const bool had_heap = woken.has_waiting();
    woken.wake(
        data_.workloads,
        [this](LocalQueueIndex index) {
            const LocalQueueRecord& local_queue = data_.local_queues[index.at()];
            return local_queue.namespace_match == NamespaceMatch::Matches;
        },
        [this](WorkloadIndex index) {
            return state_.has_back_off_ended(state_.workload(index), now_);
        }
    );
    if (!had_heap && woken.has_waiting()) {
        list_heap(cluster_queue);
    }
    data_.tree.set_waiting(cluster_queue, woken.parked() > 0);
}

void QueuesEditor::reorder(NodeIndex cluster_queue) {
    ClusterQueueRecord& of = queue(cluster_queue);
    of.pending.reorder(data_.workloads, [this, &of](LocalQueueIndex local_queue) {
        return state_.usage_in(of, local_queue);
    });
}

bool QueuesEditor::has_undecided_preemptor(const ClusterQueueRecord& queue) const {
    return !queue.evictions.empty() &&
           std::all_of(
               queue.evictions.begin(),
               queue.evictions.end(),
               [this](const ExpectedEviction& expected) {
                   const WorkloadRecord& victim = data_.workloads[expected.victim.at()];
                   return victim.eviction_expected && victim.eviction == expected.eviction;
               }
           );
}

void QueuesEditor::set_preemptor(
    NodeIndex cluster_queue, WorkloadIndex workload, const std::vector<WorkloadIndex>& victims
) {
    ClusterQueueRecord& of = queue(cluster_queue);
    if (!has_undecided_preemptor(of)) {
        of.preemptor_before = of.preemptor;
    }
    of.evictions.clear();
    const bool is_undecided = std::all_of(victims.begin(), victims.end(), [this](auto victim) {
        return record(victim).eviction_expected;
    });
    if (is_undecided) {
        for (const auto victim : victims) {
            of.evictions.push_back({.victim = victim, .eviction = record(victim).eviction});
        }
    }
    of.preemptor = Preemptor{
        .workload = workload,
        .generation = record(workload).generation,
        .sticky = of.spec.strategy == QueueingStrategy::BestEffortFIFO,
    };
}

void QueuesEditor::clear_preemptor(WorkloadIndex workload) {
    const WorkloadRecord& of = record(workload);
    if (!of.local_queue.is_valid()) {
        return;
    }
    const NodeIndex cluster_queue = data_.local_queues[of.local_queue.at()].cluster_queue;
    if (!cluster_queue.is_valid()) {
        return;
    }
    ClusterQueueRecord& at = queue(cluster_queue);
    if (at.preemptor.workload == workload) {
        SLUICE_ASSERT(state_.bucket(workload) != Bucket::Heap);
        drop_preemptors(cluster_queue);
    }
    if (at.preemptor_before.workload == workload) {
        at.preemptor_before = Preemptor{};
    }
}

void QueuesEditor::drop_preemptors(NodeIndex cluster_queue) {
    ClusterQueueRecord& of = queue(cluster_queue);
    of.preemptor = Preemptor{};
    of.evictions.clear();
    of.preemptor_before = Preemptor{};
}

void QueuesEditor::eviction_failed(WorkloadIndex victim) {
    const std::uint32_t eviction = record(victim).eviction;
    for (const auto& [name, index] : data_.tree.cluster_queues_by_name()) {
        if (state_.cluster_queue(index).evictions.empty()) {
            continue;
        }
        ClusterQueueRecord& of = queue(index);
        const auto failed = std::erase_if(of.evictions, [&](const ExpectedEviction& expected) {
            return expected.victim == victim && expected.eviction == eviction;
        });
        if (failed > 0 && of.evictions.empty()) {
            of.preemptor = std::exchange(of.preemptor_before, Preemptor{});
        }
    }
}

}  // namespace sluice::engine
