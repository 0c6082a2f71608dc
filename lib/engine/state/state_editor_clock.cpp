// Moves the engine's own delays when the wall clock is set.
#include "engine/state/state_editor.hpp"

#include <optional>
#include <set>
#include <utility>

namespace sluice::engine {

void StateEditor::step_clock(Duration by) {
    begin_change();
    for (auto& [root, due] : data_.wake_due.write()) {
        due = shifted(due, by);
    }
    data_.samples.write().clear();
    for (std::size_t i = 0; i < data_.local_queues.size(); ++i) {
        LocalQueueRecord& local_queue = data_.local_queues.write(i);
        local_queue.ledger.step_clock(by);
        if (local_queue.sample_at) {
            local_queue.sample_at = shifted(*local_queue.sample_at, by);
            data_.samples.write().insert({*local_queue.sample_at, make_index<LocalQueueIndex>(i)});
        }
    }
    const auto before = std::exchange(data_.back_offs.write(), {});
    for (std::size_t i = 0; i < data_.workloads.size(); ++i) {
        const auto index = make_index<WorkloadIndex>(i);
        WorkloadRecord& workload = data_.workloads.write(i);
        const auto is_awaited = [&](BackOff back_off, const std::optional<Time>& time) {
            return time && before.contains({*time, index, back_off});
        };
        const auto await = [&](BackOff back_off, const std::optional<Time>& time) {
            data_.back_offs.write().insert({.at = *time, .workload = index, .back_off = back_off});
        };
        // After a step back, a requeueAt that had passed may be in the future again.
        if (is_awaited(BackOff::Requeue, workload.requeue_at) || is_later(workload.requeue_at)) {
            await(BackOff::Requeue, workload.requeue_at);
        }
        const bool is_held_back = is_awaited(BackOff::RefusedWrite, workload.held_back_until);
        if (workload.held_back_until) {
            workload.held_back_until = shifted(*workload.held_back_until, by);
        }
        if (is_held_back) {
            await(BackOff::RefusedWrite, workload.held_back_until);
        }
    }
}

}  // namespace sluice::engine
