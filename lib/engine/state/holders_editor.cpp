#include "engine/state/holders_editor.hpp"

#include "base/assert.hpp"
#include "engine/types/usages.hpp"

#include <algorithm>
#include <utility>

namespace sluice::engine {

void HoldersEditor::begin(WorkloadIndex index, CowPtr<Holding> holding) {
    WorkloadRecord& workload = record(index);
    SLUICE_ASSERT(workload.holding == nullptr);
    queues_.leave(index);
    ClusterQueueRecord& at = queue(holding->cluster_queue);
    holding.write().position = static_cast<std::uint32_t>(at.holders.size());
    at.holders.push_back(index);
    data_.tree.add_usage(holding->cluster_queue, holding->usages);
    workload.holding = std::move(holding);
    take_nodes(index);
    if (workload.holding->placement != nullptr) {
        topologies_.hold(index);
        begin_second_pass(index);
    }
    ledgers_.count(index);
    if (!workload.pods_ready && at.exists) {
        ++data_.not_ready_holders;
    }
}

void HoldersEditor::take_nodes(WorkloadIndex holder) {
    static const std::vector<HeldNodes> kNone;
    const CowPtr<Holding>& holding = data_.workloads[holder.at()].holding;
    const auto& known = holding->placement == nullptr ? kNone : holding->placement->nodes;
    if (data_.enforcing_flavors->empty() && known.empty()) {
        return;
    }
    auto nodes = topologies_.nodes_of(holder, *holding, known);
    if (nodes.empty() && known.empty()) {
        return;
    }
    CowPtr<HeldPlacement>& placement = record(holder).holding.write().placement;
    if (placement == nullptr) {
        placement = CowPtr<HeldPlacement>::make();
    }
    placement.write().nodes = std::move(nodes);
}

void HoldersEditor::note_eased(WorkloadIndex holder, const std::vector<HeldNodes>& after) {
    const CowPtr<Holding>& holding = data_.workloads[holder.at()].holding;
    if (data_.enforcing_flavors->empty() || holding == nullptr || holding->placement == nullptr) {
        return;
    }
    topologies_.note_eased(holding->placement->nodes, after);
    // A topology's pods may be on the same nodes.
    data_.has_eased = data_.has_eased || !holding->placement->topologies.empty();
}

void HoldersEditor::note_eased_since(WorkloadIndex holder, const std::vector<HeldNodes>& before) {
    static const std::vector<HeldNodes> kNone;
    const CowPtr<Holding>& holding = data_.workloads[holder.at()].holding;
    if (!before.empty()) {
        topologies_.note_eased(
            before, holding->placement == nullptr ? kNone : holding->placement->nodes
        );
    }
}

void HoldersEditor::count_nodes_again() {
    std::vector<WorkloadIndex> holders;
    for (std::size_t i = 0; i < data_.workloads.size(); ++i) {
        if (data_.workloads[i].holding != nullptr) {
            holders.push_back(make_index<WorkloadIndex>(i));
        }
    }
    for (const WorkloadIndex holder : holders) {
        const auto& placement = data_.workloads[holder.at()].holding->placement;
        if (placement != nullptr) {
            topologies_.release(holder, *data_.workloads[holder.at()].holding);
        }
        take_nodes(holder);
        if (data_.workloads[holder.at()].holding->placement != nullptr) {
            topologies_.hold(holder);
        }
    }
}

NodeIndex HoldersEditor::end(WorkloadIndex index) {
    WorkloadRecord& workload = record(index);
    if (workload.holding == nullptr) {
        return {};
    }
    ledgers_.stop_counting(index);
    const CowPtr<Holding> holding = std::move(workload.holding);
    ClusterQueueRecord& at = queue(holding->cluster_queue);
    const WorkloadIndex last = at.holders.back();
    at.holders[holding->position] = last;
    at.holders.pop_back();
    if (last != index) {
        record(last).holding.write().position = holding->position;
    }
    remove_usage(at, *holding);
    if (holding->placement != nullptr) {
        topologies_.release(index, *holding);
        end_second_pass(index);
    }
    if (!workload.pods_ready && at.exists) {
        --data_.not_ready_holders;
    }
    if (at.holders.empty()) {
        check_use_of(holding->cluster_queue);
    }
    return holding->cluster_queue;
}

void HoldersEditor::remove_usage(const ClusterQueueRecord& from, const Holding& holding) {
    if (data_.tree.has_saturated(holding.cluster_queue)) {
        Usages sum;
        for (const auto other : from.holders) {
            for (const auto& usage : record(other).holding->usages) {
                add_to(sum, usage.flavor_resource, usage.amount);
            }
        }
        data_.tree.reset_usage(holding.cluster_queue, std::move(sum));
    } else {
        data_.tree.remove_usage(holding.cluster_queue, holding.usages);
    }
    data_.tree.touch(holding.cluster_queue);
}

void HoldersEditor::begin_second_pass(WorkloadIndex holder) {
    const Holding& holding = *record(holder).holding;
    if (holding.placement->second_pass == SecondPass::None || holding.evicted ||
        record(holder).assumed) {
        return;
    }
    // An attempt that is due later stays due then.
    SecondPassTurn turn{.attempts = 1, .due = later(now_, second_pass_delay(1))};
    data_.second_passes.write().emplace(holder, turn);
}

Duration HoldersEditor::second_pass_delay(std::uint32_t attempt) const {
    constexpr std::uint32_t kDoublings = 5;
    constexpr int kLongest = 30;
    const Duration first = data_.options->second_pass_delay;
    return std::min(first * kLongest, first * (1U << std::min(attempt - 1, kDoublings)));
}

void HoldersEditor::settle_second_pass(SecondPassOutcome& outcome) {
    using Outcome = SecondPassDecision::Outcome;
    const WorkloadIndex holder = outcome.workload;
    switch (outcome.outcome) {
        case Outcome::Assigned:
            end_second_pass(holder);
            replace_placement(holder, std::move(outcome.placement));
            record(holder).assumed = true;
            return;
        case Outcome::Evicted:
            evict(holder);
            return;
        case Outcome::Failed:
            retry_second_pass(holder);
            return;
    }
}

void HoldersEditor::replace_placement(WorkloadIndex holder, CowPtr<HeldPlacement> placement) {
    topologies_.release(holder, *record(holder).holding);
    record(holder).holding.write().placement = std::move(placement);
    topologies_.hold(holder);
}

bool HoldersEditor::second_pass_refused(WorkloadIndex holder, std::uint8_t refusals) {
    const WorkloadRecord& workload = record(holder);
    if (workload.holding == nullptr || workload.holding->placement == nullptr ||
        workload.holding->placement->before == nullptr) {
        return false;
    }
    replace_placement(holder, workload.holding->placement->before);
    record(holder).assumed = false;
    begin_second_pass(holder);
    const std::uint32_t attempts = 1U + refusals;
    keep_second_pass(
        holder, {.attempts = attempts, .due = later(now_, second_pass_delay(attempts))}
    );
    return true;
}

void HoldersEditor::retry_second_pass(WorkloadIndex holder) {
    const auto known = data_.second_passes->find(holder);
    if (known == data_.second_passes->end()) {
        return;
    }
    const std::uint32_t attempts = known->second.attempts + 1;
    data_.second_passes.write().insert_or_assign(
        holder,
        SecondPassTurn{.attempts = attempts, .due = later(now_, second_pass_delay(attempts))}
    );
}

void HoldersEditor::end_second_pass(WorkloadIndex holder) {
    if (data_.second_passes->contains(holder)) {
        data_.second_passes.write().erase(holder);
    }
}

void HoldersEditor::keep_second_pass(WorkloadIndex holder, const SecondPassTurn& turn) {
    if (data_.second_passes->contains(holder)) {
        data_.second_passes.write().insert_or_assign(holder, turn);
    }
}

void HoldersEditor::begin_assumed(HeadOutcome& head) {
    WorkloadRecord& workload = record(head.workload);
    workload.queueable = false;
    workload.assumed = true;
    workload.reservation_shown = false;
    workload.eviction_expected = false;
    workload.pods_ready = false;
    workload.last_assignment.reset();
    begin(head.workload, std::move(head.holding));
    ledgers_.charge(head.workload);
}

NodeIndex HoldersEditor::end_refused(WorkloadIndex index) {
    record(index).assumed = false;
    record(index).eviction_expected = false;  // no quota is left to take back
    const NodeIndex freed = end(index);
    ledgers_.drop(index);
    return freed;
}

void HoldersEditor::evict(WorkloadIndex holder) {
    WorkloadRecord& workload = record(holder);
    workload.eviction_expected = true;
    workload.eviction = ++data_.evictions;
    workload.holding.write().evicted = true;
    end_second_pass(holder);
}

void HoldersEditor::eviction_failed(WorkloadIndex holder) {
    queues_.eviction_failed(holder);
    WorkloadRecord& workload = record(holder);
    workload.eviction_expected = false;
    if (workload.holding != nullptr) {
        workload.holding.write().evicted = false;
        if (workload.holding->placement != nullptr) {
            begin_second_pass(holder);
        }
    }
}

void HoldersEditor::step_clock(Duration by) {
    if (data_.second_passes->empty()) {
        return;
    }
    for (auto& [holder, turn] : data_.second_passes.write()) {
        turn.due = shifted(turn.due, by);
    }
}

void HoldersEditor::leave_local_queue(WorkloadIndex index) {
    ledgers_.drop(index);
    if (record(index).holding != nullptr) {
        ledgers_.stop_counting(index);
    }
}

void HoldersEditor::join_local_queue(WorkloadIndex index) {
    if (record(index).holding != nullptr) {
        ledgers_.count(index);
    }
}

void HoldersEditor::begin_cluster_queue(NodeIndex cluster_queue) {
    data_.not_ready_holders += not_ready_holders_of(cluster_queue);
}

void HoldersEditor::end_cluster_queue(NodeIndex cluster_queue) {
    data_.not_ready_holders -= not_ready_holders_of(cluster_queue);
}

std::uint64_t HoldersEditor::not_ready_holders_of(NodeIndex cluster_queue) const {
    const auto& holders = data_.cluster_queues[cluster_queue.at()].holders;
    return static_cast<std::uint64_t>(std::count_if(
        holders.begin(),
        holders.end(),
        [this](WorkloadIndex holder) { return !data_.workloads[holder.at()].pods_ready; }
    ));
}

}  // namespace sluice::engine
