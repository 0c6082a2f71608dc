// What the engine keeps of time when the wall clock is set.
#include "engine/state_editor.hpp"

#include <optional>
#include <set>
#include <utility>

namespace sluice::engine {

void StateEditor::step_clock(Duration by) {
    for (auto& [root, due] : state_.wake_due_) {
        due = shifted(due, by);
    }
    state_.samples_.clear();
    for (std::size_t i = 0; i < state_.local_queues_.size(); ++i) {
        LocalQueueRecord& local_queue = state_.local_queues_[i];
        local_queue.ledger.step_clock(by);
        if (local_queue.sample_at) {
            local_queue.sample_at = shifted(*local_queue.sample_at, by);
            state_.samples_.insert({*local_queue.sample_at, make_index<LocalQueueIndex>(i)});
        }
    }
    const auto before = std::exchange(state_.back_offs_, {});
    for (std::size_t i = 0; i < state_.workloads_.size(); ++i) {
        const auto index = make_index<WorkloadIndex>(i);
        WorkloadRecord& workload = state_.workloads_[i];
        const auto is_awaited = [&before, index](const std::optional<Time>& time) {
            return time && before.contains({*time, index});
        };
        // A time that had come may be still to come after a step back.
        if (is_awaited(workload.requeue_at) || is_later(workload.requeue_at)) {
            state_.back_offs_.insert({*workload.requeue_at, index});
        }
        const bool is_held_back = is_awaited(workload.held_back_until);
        if (workload.held_back_until) {
            workload.held_back_until = shifted(*workload.held_back_until, by);
        }
        if (is_held_back) {
            state_.back_offs_.insert({*workload.held_back_until, index});
        }
    }
}

}  // namespace sluice::engine
