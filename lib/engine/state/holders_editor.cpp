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
    ledgers_.count(index);
    if (!workload.pods_ready && at.exists) {
        ++data_.not_ready_holders;
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
}

void HoldersEditor::eviction_failed(WorkloadIndex holder) {
    queues_.eviction_failed(holder);
    WorkloadRecord& workload = record(holder);
    workload.eviction_expected = false;
    if (workload.holding != nullptr) {
        workload.holding.write().evicted = false;
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
