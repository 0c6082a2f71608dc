// The pending queues: heap, parked workloads, wake-ups.
#include "base/assert.hpp"
#include "engine/state/queue_order.hpp"
#include "engine/state/state_editor.hpp"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace sluice::engine {
namespace {

/// Upstream forgets this wake-up. It comes so late that what is decided at once is what upstream
/// decides.
constexpr Duration kLateWake = std::chrono::seconds(1);

}  // namespace

NodeIndex StateEditor::cluster_queue_of(const WorkloadRecord& workload) const {
    if (!workload.local_queue.is_valid()) {
        return {};
    }
    const LocalQueueRecord& local_queue = state_.local_queues_[workload.local_queue.at()];
    if (!local_queue.exists || local_queue.stopped || !local_queue.cluster_queue.is_valid() ||
        !state_.cluster_queues_[local_queue.cluster_queue.at()].exists) {
        return {};
    }
    return local_queue.cluster_queue;
}

bool StateEditor::back_off_expired(const WorkloadRecord& workload) const {
    return !workload.requeued_false && !is_later(workload.requeue_at) &&
           !is_later(workload.held_back_until);
}

void StateEditor::heap_place(ClusterQueueRecord& queue, std::size_t at, WorkloadIndex workload) {
    queue.heap[at] = workload;
    record(workload).bucket_position = static_cast<std::uint32_t>(at);
}

void StateEditor::heap_up(ClusterQueueRecord& queue, std::size_t at) {
    const QueueOrder before(
        state_.workloads_, state_.local_queues_, queue, state_.shares_admission_fairly(queue)
    );
    const WorkloadIndex moving = queue.heap[at];
    while (at > 0) {
        const std::size_t parent = (at - 1) / 2;
        if (!before(moving, queue.heap[parent])) {
            break;
        }
        heap_place(queue, at, queue.heap[parent]);
        at = parent;
    }
    heap_place(queue, at, moving);
}

void StateEditor::heap_down(ClusterQueueRecord& queue, std::size_t at) {
    const QueueOrder before(
        state_.workloads_, state_.local_queues_, queue, state_.shares_admission_fairly(queue)
    );
    const WorkloadIndex moving = queue.heap[at];
    while (true) {
        std::size_t child = 2 * at + 1;
        if (child >= queue.heap.size()) {
            break;
        }
        if (child + 1 < queue.heap.size() && before(queue.heap[child + 1], queue.heap[child])) {
            ++child;
        }
        if (!before(queue.heap[child], moving)) {
            break;
        }
        heap_place(queue, at, queue.heap[child]);
        at = child;
    }
    heap_place(queue, at, moving);
}

void StateEditor::make_heap(ClusterQueueRecord& queue) {
    for (std::size_t at = queue.heap.size() / 2; at-- > 0;) {
        heap_down(queue, at);
    }
}

void StateEditor::fix_heap(ClusterQueueRecord& queue, WorkloadIndex workload) {
    heap_up(queue, record(workload).bucket_position);
    heap_down(queue, record(workload).bucket_position);
}

void StateEditor::list_in_class(ClusterQueueRecord& queue, WorkloadIndex index) {
    WorkloadRecord& workload = record(index);
    if (workload.scheduling_class == 0) {
        return;
    }
    WorkloadIndex& first = queue.heap_by_class[workload.scheduling_class];
    if (first.is_valid()) {
        record(first).previous_of_class = index;
    }
    workload.next_of_class = std::exchange(first, index);
}

void StateEditor::unlist_from_class(ClusterQueueRecord& queue, WorkloadIndex index) {
    WorkloadRecord& workload = record(index);
    if (workload.scheduling_class == 0) {
        return;
    }
    const auto next = std::exchange(workload.next_of_class, WorkloadIndex{});
    const auto previous = std::exchange(workload.previous_of_class, WorkloadIndex{});
    if (next.is_valid()) {
        record(next).previous_of_class = previous;
    }
    if (previous.is_valid()) {
        record(previous).next_of_class = next;
    } else if (next.is_valid()) {
        queue.heap_by_class.at(workload.scheduling_class) = next;
    } else {
        queue.heap_by_class.erase(workload.scheduling_class);
    }
}

void StateEditor::note_queue_change(WorkloadIndex index) {
    if (!state_.keeps_queue_changes_ || record(index).queue_changed) {
        return;
    }
    record(index).queue_changed = true;
    state_.queue_changes_.push_back(index);
}

std::vector<WorkloadIndex> StateEditor::take_queue_changes() {
    if (!std::exchange(state_.keeps_queue_changes_, true)) {
        for (std::size_t at = 0; at < state_.workloads_.size(); ++at) {
            if (state_.workloads_[at].bucket != Bucket::None) {
                note_queue_change(make_index<WorkloadIndex>(at));
            }
        }
    }
    auto taken = std::exchange(state_.queue_changes_, {});
    for (const auto index : taken) {
        record(index).queue_changed = false;
    }
    return taken;
}

void StateEditor::push_to_heap(WorkloadIndex index) {
    WorkloadRecord& workload = record(index);
    const NodeIndex target = cluster_queue_of(workload);
    SLUICE_ASSERT(target.is_valid() && workload.bucket == Bucket::None);
    ClusterQueueRecord& into = queue(target);
    note_queue_change(index);
    workload.bucket = Bucket::Heap;
    into.heap.push_back(index);
    list_in_class(into, index);
    if (into.heap.size() == 1) {
        state_.with_heap_.emplace(state_.tree_.node_name(target), target);
    }
    heap_up(into, into.heap.size() - 1);
}

void StateEditor::push_inadmissible(WorkloadIndex index) {
    WorkloadRecord& workload = record(index);
    const NodeIndex target = cluster_queue_of(workload);
    SLUICE_ASSERT(target.is_valid() && workload.bucket == Bucket::None);
    ClusterQueueRecord& into = queue(target);
    note_queue_change(index);
    workload.bucket = Bucket::Inadmissible;
    workload.bucket_position = static_cast<std::uint32_t>(into.inadmissible.size());
    into.inadmissible.push_back(index);
    state_.tree_.set_waiting(target, true);
}

void StateEditor::take_from_queue(WorkloadIndex index) {
    WorkloadRecord& workload = record(index);
    if (workload.bucket == Bucket::None) {
        return;
    }
    note_queue_change(index);
    // The bucket belongs to the ClusterQueue of the LocalQueue, which may be stopped or gone by
    // now.
    const NodeIndex of = state_.local_queues_[workload.local_queue.at()].cluster_queue;
    ClusterQueueRecord& from = queue(of);
    const std::size_t at = workload.bucket_position;
    switch (workload.bucket) {
        case Bucket::None:
            break;
        case Bucket::Inflight:
            from.inflight = WorkloadIndex{};
            break;
        case Bucket::Inadmissible: {
            const WorkloadIndex last = from.inadmissible.back();
            from.inadmissible[at] = last;
            record(last).bucket_position = static_cast<std::uint32_t>(at);
            from.inadmissible.pop_back();
            break;
        }
        case Bucket::Heap: {
            unlist_from_class(from, index);
            const WorkloadIndex last = from.heap.back();
            from.heap.pop_back();
            if (last != index) {
                heap_place(from, at, last);
                fix_heap(from, last);
            }
            if (from.heap.empty()) {
                state_.with_heap_.erase(state_.tree_.node_name(of));
            }
            break;
        }
    }
    workload.bucket = Bucket::None;
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

WorkloadIndex StateEditor::pop_head(NodeIndex cluster_queue) {
    ClusterQueueRecord& from = queue(cluster_queue);
    if (from.heap.empty()) {
        return {};
    }
    const WorkloadIndex head = from.heap.front();
    pop(head);
    return head;
}

void StateEditor::pop(WorkloadIndex index) {
    take_from_queue(index);
    record(index).bucket = Bucket::Inflight;
    queue(cluster_queue_of(record(index))).inflight = index;
}

RequeuedTo StateEditor::requeue(WorkloadIndex index, bool immediately) {
    WorkloadRecord& workload = record(index);
    take_from_queue(index);
    if (!workload.queueable || !cluster_queue_of(workload).is_valid()) {
        return RequeuedTo::Dropped;
    }
    const bool has_progress =
        workload.last_assignment != nullptr && workload.last_assignment->has_progress();
    // Nothing can happen between the pop and this within one call of run_cycle, so upstream's
    // comparison of queueInadmissibleCycle and popCycle is never true here.
    if (back_off_expired(workload) && (immediately || has_progress)) {
        push_to_heap(index);
        return RequeuedTo::Heap;
    }
    push_inadmissible(index);
    return RequeuedTo::Inadmissible;
}

void StateEditor::park_class(NodeIndex cluster_queue, std::uint64_t scheduling_class) {
    ClusterQueueRecord& from = queue(cluster_queue);
    if (scheduling_class == 0 || from.spec.strategy != QueueingStrategy::BestEffortFIFO) {
        return;
    }
    from.parked_classes.insert(scheduling_class);
    state_.tree_.set_waiting(cluster_queue, true);
    for (auto like = from.heap_by_class.find(scheduling_class); like != from.heap_by_class.end();
         like = from.heap_by_class.find(scheduling_class)) {
        const WorkloadIndex index = like->second;
        take_from_queue(index);
        push_inadmissible(index);
    }
}

bool StateEditor::has_undecided_preemptor(const ClusterQueueRecord& queue) const {
    return !queue.evictions.empty() &&
           std::all_of(
               queue.evictions.begin(),
               queue.evictions.end(),
               [this](const ExpectedEviction& expected) {
                   const WorkloadRecord& victim = state_.workloads_[expected.victim.at()];
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
    const WorkloadIndex before = of.preemptor.sticky ? of.preemptor.workload : WorkloadIndex{};
    of.preemptor = Preemptor{
        .workload = workload,
        .generation = record(workload).generation,
        .sticky = of.spec.strategy == QueueingStrategy::BestEffortFIFO,
    };
    for (const auto moved : {before, workload}) {
        if (moved.is_valid() && record(moved).bucket == Bucket::Heap) {
            fix_heap(of, moved);
        }
    }
}

void StateEditor::clear_preemptor(WorkloadIndex workload) {
    const WorkloadRecord& of = record(workload);
    if (!of.local_queue.is_valid()) {
        return;
    }
    const NodeIndex cluster_queue = state_.local_queues_[of.local_queue.at()].cluster_queue;
    if (!cluster_queue.is_valid()) {
        return;
    }
    ClusterQueueRecord& at = queue(cluster_queue);
    if (at.preemptor.workload == workload) {
        SLUICE_ASSERT(of.bucket != Bucket::Heap);
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
    for (const auto& [name, index] : state_.tree_.cluster_queues_by_name()) {
        ClusterQueueRecord& of = queue(index);
        const auto failed = std::erase_if(of.evictions, [&](const ExpectedEviction& expected) {
            return expected.victim == victim && expected.eviction == eviction;
        });
        if (failed > 0 && of.evictions.empty()) {
            of.preemptor = std::exchange(of.preemptor_before, Preemptor{});
            make_heap(of);
        }
    }
}

void StateEditor::wake_tree_of(NodeIndex node) {
    refresh();
    const auto& at = state_.tree_.node(node);
    if (at.in_cycle) {
        return;
    }
    if (state_.options_.wake_batch == Duration{}) {
        state_.wake_due_.erase(at.root);
        wake_now(at.root);
    } else {
        wake_at(at.root, now_ + state_.options_.wake_batch);
    }
}

void StateEditor::wake_at(NodeIndex root, Time due) {
    const auto [at, is_new] = state_.wake_due_.emplace(root, due);
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
    const auto& at = state_.tree_.node(freed);
    const bool is_woken = queued_in.is_valid() && state_.tree_.node(queued_in).root == at.root;
    if (!is_woken && !at.in_cycle) {
        wake_at(at.root, now_ + std::max(kLateWake, state_.options_.wake_batch));
    }
}

void StateEditor::wake_now(NodeIndex root) {
    const auto& waiting = state_.tree_.waiting_in(root);
    for (const auto index : std::vector(waiting.begin(), waiting.end())) {
        queue(index).parked_classes.clear();
        wake_parked(index);
        state_.tree_.set_waiting(index, !queue(index).inadmissible.empty());
    }
}

void StateEditor::wake_parked(NodeIndex cluster_queue) {
    ClusterQueueRecord& woken = queue(cluster_queue);
    const std::size_t before = woken.heap.size();
    std::size_t kept = 0;
    for (const auto index : woken.inadmissible) {
        WorkloadRecord& workload = record(index);
        const auto& local_queue = state_.local_queues_[workload.local_queue.at()];
        if (local_queue.namespace_match == NamespaceMatch::Matches && back_off_expired(workload)) {
            workload.bucket = Bucket::Heap;
            workload.bucket_position = static_cast<std::uint32_t>(woken.heap.size());
            woken.heap.push_back(index);
            list_in_class(woken, index);
        } else {
            workload.bucket_position = static_cast<std::uint32_t>(kept);
            woken.inadmissible[kept++] = index;
        }
    }
    woken.inadmissible.resize(kept);
    if (woken.heap.size() == before) {
        return;
    }
    if (before == 0) {
        state_.with_heap_.emplace(state_.tree_.node_name(cluster_queue), cluster_queue);
    }
    if (woken.heap.size() < 2 * before) {
        for (std::size_t at = before; at < woken.heap.size(); ++at) {
            heap_up(woken, at);
        }
        return;
    }
    make_heap(woken);
}

void StateEditor::on(const TimerFired&) {
    refresh();
    std::vector<NodeIndex> due_roots;
    for (const auto& [root, due] : state_.wake_due_) {
        if (due <= now_) {
            due_roots.push_back(root);
        }
    }
    for (const auto root : due_roots) {
        state_.wake_due_.erase(root);
        // The tree may have got another root or a cycle since.
        if (!state_.tree_.node(root).in_cycle) {
            wake_now(state_.tree_.node(root).root);
        }
    }
    sample_usage();
    while (!state_.back_offs_.empty() && state_.back_offs_.begin()->at <= now_) {
        const WorkloadIndex index = state_.back_offs_.begin()->workload;
        state_.back_offs_.erase(state_.back_offs_.begin());
        if (record(index).bucket == Bucket::Inadmissible && back_off_expired(record(index))) {
            take_from_queue(index);
            enqueue(index);
        }
    }
}

}  // namespace sluice::engine
