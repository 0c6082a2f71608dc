#include "engine/state/wakes_editor.hpp"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace sluice::engine {
namespace {

/// Delay of a wake-up that Kueue does not do. Until then, decisions are the same as Kueue's.
constexpr Duration kLateWake = std::chrono::seconds(1);

}  // namespace

bool WakesEditor::is_active(NodeIndex cluster_queue) const {
    const auto& record = data_.cluster_queues[cluster_queue.at()];
    if (!record.exists || !record.spec.accepts_workloads ||
        data_.tree.node(cluster_queue).in_cycle) {
        return false;
    }
    return std::all_of(record.groups.begin(), record.groups.end(), [&](const ResolvedGroup& group) {
        return std::all_of(group.flavors.begin(), group.flavors.end(), [&](FlavorIndex flavor) {
            return (*data_.flavor_exists)[flavor.at()];
        });
    });
}

void WakesEditor::update_active(NodeIndex cluster_queue) {
    ClusterQueueRecord& of = queue(cluster_queue);
    of.active = is_active(cluster_queue);
    data_.tree.set_active(cluster_queue, of.active);
}

void WakesEditor::refresh() {
    if (!data_.tree.is_stale()) {
        return;
    }
    std::vector<NodeIndex> touched;
    data_.tree.refresh(touched);
    for (const auto index : touched) {
        update_active(index);
    }
}

void WakesEditor::wake_tree_of(NodeIndex node) {
    refresh();
    const auto& at = data_.tree.node(node);
    if (at.in_cycle) {
        return;
    }
    if (data_.options->wake_batch == Duration{}) {
        if (data_.wake_due.write().erase(at.root) > 0) {
            check_use_of(at.root);
        }
        wake_now(at.root);
    } else {
        wake_at(at.root, now_ + data_.options->wake_batch);
    }
}

void WakesEditor::wake_trees_of(NodeIndex node, NodeIndex left) {
    wake_tree_of(node);
    // A node that moves takes its usage along, which frees quota in the tree that it left.
    if (left.is_valid() && data_.tree.node(left).root != data_.tree.node(node).root) {
        wake_tree_of(left);
    }
}

void WakesEditor::wake_for(NodeIndex freed, NodeIndex queued_in) {
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

void WakesEditor::wake_at(NodeIndex root, Time due) {
    const auto [at, is_new] = data_.wake_due.write().emplace(root, due);
    at->second = std::min(at->second, due);
}

void WakesEditor::wake_now(NodeIndex root) {
    const auto& waiting = data_.tree.waiting_in(root);
    for (const auto index : std::vector(waiting.begin(), waiting.end())) {
        queues_.wake(index);
    }
}

void WakesEditor::wake_due_trees() {
    std::vector<NodeIndex> due_roots;
    for (const auto& [root, due] : *data_.wake_due) {
        if (due <= now_) {
            due_roots.push_back(root);
        }
    }
    for (const auto root : due_roots) {
        data_.wake_due.write().erase(root);
        check_use_of(root);
        // Since the wake-up was scheduled, the tree may have got another root or a cycle of
        // parents.
        if (!data_.tree.node(root).in_cycle) {
            wake_now(data_.tree.node(root).root);
        }
    }
}

void WakesEditor::set_back_off(
    WorkloadIndex index, BackOff back_off, const std::optional<Time>& until
) {
    WorkloadRecord& workload = record(index);
    auto& known = back_off == BackOff::Requeue ? workload.requeue_at : workload.held_back_until;
    if (known == until) {
        return;  // a timer that is set stays set until it fires
    }
    if (known) {
        data_.back_offs.write().erase({.at = *known, .workload = index, .back_off = back_off});
    }
    known = until;
    if (until && is_later(until)) {
        data_.back_offs.write().insert({.at = *until, .workload = index, .back_off = back_off});
    }
}

void WakesEditor::end_back_offs() {
    while (!data_.back_offs->empty() && data_.back_offs->begin()->at <= now_) {
        const WorkloadIndex index = data_.back_offs->begin()->workload;
        data_.back_offs.write().erase(data_.back_offs->begin());
        if (state_.bucket(index) == Bucket::Inadmissible &&
            state_.has_back_off_ended(state_.workload(index), now_)) {
            queues_.take(index);
            queues_.enqueue(index);
        }
    }
}

void WakesEditor::wake_users_of(const std::set<FlavorIndex>& flavors) {
    if (flavors.empty()) {
        return;
    }
    for (const auto& [name, index] : data_.tree.cluster_queues_by_name()) {
        const ClusterQueueRecord& of = state_.cluster_queue(index);
        const bool uses = std::ranges::any_of(flavors, [&of](FlavorIndex flavor) {
            return of.uses_flavor(flavor);
        });
        if (uses) {
            wake_tree_of(index);
        }
    }
}

void WakesEditor::wake_for_room() {
    if (!std::exchange(data_.has_eased, false)) {
        return;
    }
    std::set<FlavorIndex> flavors;
    for (const auto& [flavor, labels] : *data_.enforcing_flavors) {
        flavors.insert(flavor);
    }
    wake_users_of(flavors);
}

void WakesEditor::step_clock(Duration by) {
    for (auto& [root, due] : data_.wake_due.write()) {
        due = shifted(due, by);
    }
    const auto before = std::exchange(data_.back_offs.write(), {});
    for (std::size_t i = 0; i < data_.workloads.size(); ++i) {
        const auto index = make_index<WorkloadIndex>(i);
        WorkloadRecord& workload = record(index);
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
