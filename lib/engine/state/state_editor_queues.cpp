// Pending workloads: queues, parks and wakes them.
#include "base/assert.hpp"
#include "engine/state/state_editor.hpp"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace sluice::engine {
namespace {

/// Delay of a wake-up that Kueue does not do. Until then, decisions are the same as Kueue's.
constexpr Duration kLateWake = std::chrono::seconds(1);

}  // namespace

void StateEditor::note_queue_change(WorkloadIndex index) {
    if (!data_.keeps_queue_changes || record(index).queue_changed) {
        return;
    }
    record(index).queue_changed = true;
    data_.queue_changes.write().push_back(index);
}

std::vector<WorkloadIndex> StateEditor::take_queue_changes() {
    if (!std::exchange(data_.keeps_queue_changes, true)) {
        for (std::size_t at = 0; at < data_.workloads.size(); ++at) {
            if (data_.workloads[at].is_queued()) {
                note_queue_change(make_index<WorkloadIndex>(at));
            }
        }
    }
    auto taken = std::exchange(data_.queue_changes.write(), {});
    for (const auto index : taken) {
        record(index).queue_changed = false;
    }
    return taken;
}

void StateEditor::reorder(ClusterQueueRecord& queue) {
    queue.pending.reorder(data_.workloads, [this, &queue](LocalQueueIndex local_queue) {
        return state_.usage_in(queue, local_queue);
    });
}

void StateEditor::list_heap(NodeIndex cluster_queue) {
    if (queue(cluster_queue).pending.has_waiting()) {
        data_.with_heap.write().emplace(data_.tree.node(cluster_queue).name, cluster_queue);
    } else {
        data_.with_heap.write().erase(data_.tree.node(cluster_queue).name);
    }
}

void StateEditor::push_to_heap(WorkloadIndex index) {
    const WorkloadRecord& workload = record(index);
    const NodeIndex target = cluster_queue_of(workload);
    SLUICE_ASSERT(target.is_valid() && !workload.is_queued());
    ClusterQueueRecord& into = queue(target);
    note_queue_change(index);
    into.pending.push(
        data_.workloads, index, workload.has_back_off(), state_.usage_in(into, workload.local_queue)
    );
    if (into.pending.waiting() == 1) {
        list_heap(target);
    }
}

void StateEditor::push_inadmissible(WorkloadIndex index) {
    const WorkloadRecord& workload = record(index);
    const NodeIndex target = cluster_queue_of(workload);
    SLUICE_ASSERT(target.is_valid() && !workload.is_queued());
    ClusterQueueRecord& into = queue(target);
    note_queue_change(index);
    into.pending.park(
        data_.workloads, index, workload.has_back_off(), state_.usage_in(into, workload.local_queue)
    );
    data_.tree.set_waiting(target, true);
}

void StateEditor::take_from_queue(WorkloadIndex index) {
    WorkloadRecord& workload = record(index);
    if (!workload.is_queued()) {
        return;
    }
    note_queue_change(index);
    // Not cluster_queue_of(): the LocalQueue may be stopped by now, or its ClusterQueue deleted.
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

void StateEditor::enqueue(WorkloadIndex index) {
    const WorkloadRecord& workload = record(index);
    const NodeIndex target = cluster_queue_of(workload);
    if (!target.is_valid()) {
        return;
    }
    const ClusterQueueRecord& into = queue(target);
    const bool parked_class = into.spec.strategy == QueueingStrategy::BestEffortFIFO &&
                              workload.scheduling_class != 0 &&
                              into.parked_classes.contains(workload.scheduling_class);
    if (!back_off_expired(workload) || parked_class) {
        push_inadmissible(index);
    } else {
        push_to_heap(index);
    }
}

void StateEditor::pop(WorkloadIndex index) {
    take_from_queue(index);
    record(index).is_inflight = true;
    queue(cluster_queue_of(record(index))).inflight = index;
}

void StateEditor::requeue(WorkloadIndex index, RequeuedTo to) {
    take_from_queue(index);
    switch (to) {
        case RequeuedTo::Dropped:
            break;
        case RequeuedTo::Heap:
            push_to_heap(index);
            break;
        case RequeuedTo::Inadmissible:
            push_inadmissible(index);
            break;
    }
}

void StateEditor::park_class(NodeIndex cluster_queue, std::uint64_t scheduling_class) {
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

bool StateEditor::has_undecided_preemptor(const ClusterQueueRecord& queue) const {
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

void StateEditor::set_preemptor(
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

void StateEditor::clear_preemptor(WorkloadIndex workload) {
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
        drop_preemptors(at);
    }
    if (at.preemptor_before.workload == workload) {
        at.preemptor_before = Preemptor{};
    }
}

void StateEditor::drop_preemptors(ClusterQueueRecord& of) {
    of.preemptor = Preemptor{};
    of.evictions.clear();
    of.preemptor_before = Preemptor{};
}

void StateEditor::eviction_failed(WorkloadIndex victim) {
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

void StateEditor::wake_tree_of(NodeIndex node) {
    refresh();
    const auto& at = data_.tree.node(node);
    if (at.in_cycle) {
        return;
    }
    if (data_.options->wake_batch == Duration{}) {
        data_.wake_due.write().erase(at.root);
        wake_now(at.root);
    } else {
        wake_at(at.root, now_ + data_.options->wake_batch);
    }
}

void StateEditor::wake_at(NodeIndex root, Time due) {
    const auto [at, is_new] = data_.wake_due.write().emplace(root, due);
    at->second = std::min(at->second, due);
}

void StateEditor::wake_for(NodeIndex freed, NodeIndex queued_in) {
    if (queued_in.is_valid()) {
        wake_tree_of(queued_in);
    }
    if (!freed.is_valid()) {
        return;
    }
    refresh();
    const auto& at = data_.tree.node(freed);
    const bool is_woken = queued_in.is_valid() && data_.tree.node(queued_in).root == at.root;
    if (!is_woken && !at.in_cycle) {
        wake_at(at.root, now_ + std::max(kLateWake, data_.options->wake_batch));
    }
}

void StateEditor::wake_now(NodeIndex root) {
    const auto& waiting = data_.tree.waiting_in(root);
    for (const auto index : std::vector(waiting.begin(), waiting.end())) {
        queue(index).parked_classes.clear();
        wake_parked(index);
        data_.tree.set_waiting(index, queue(index).pending.parked() > 0);
    }
}

void StateEditor::wake_parked(NodeIndex cluster_queue) {
    PendingQueue& woken = queue(cluster_queue).pending;
    const bool had_heap = woken.has_waiting();
    woken.wake(
        data_.workloads,
        [this](LocalQueueIndex index) {
            const LocalQueueRecord& local_queue = data_.local_queues[index.at()];
            return local_queue.namespace_match == NamespaceMatch::Matches;
        },
        [this](WorkloadIndex index) { return back_off_expired(record(index)); }
    );
    if (!had_heap && woken.has_waiting()) {
        list_heap(cluster_queue);
    }
}

void StateEditor::on(const TimerFired&) {
    refresh();
    std::vector<NodeIndex> due_roots;
    for (const auto& [root, due] : *data_.wake_due) {
        if (due <= now_) {
            due_roots.push_back(root);
        }
    }
    for (const auto root : due_roots) {
        data_.wake_due.write().erase(root);
        // Since the wake-up was scheduled, the tree may have got another root or a cycle of
        // parents.
        if (!data_.tree.node(root).in_cycle) {
            wake_now(data_.tree.node(root).root);
        }
    }
    sample_usage();
    while (!data_.back_offs->empty() && data_.back_offs->begin()->at <= now_) {
        const WorkloadIndex index = data_.back_offs->begin()->workload;
        data_.back_offs.write().erase(data_.back_offs->begin());
        if (state_.bucket(index) == Bucket::Inadmissible && back_off_expired(record(index))) {
            take_from_queue(index);
            enqueue(index);
        }
    }
}

}  // namespace sluice::engine
