#include "engine/state/ledgers_editor.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace sluice::engine {

void LedgersEditor::begin(LocalQueueIndex index, const ConsumedResources& consumed) {
    const Options& options = *data_.options;
    LocalQueueRecord& local_queue = local_queue_record(index);
    if (!options.admission_fair_sharing || local_queue.ledger.is_seeded()) {
        return;
    }
    const bool forgets = options.usage_half_life == Duration{};  // the first sample would clear it
    local_queue.ledger.seed(forgets ? ConsumedResources{} : consumed, now_);
    if (options.usage_sampling_interval > Duration{}) {
        local_queue.sample_at = later(now_, options.usage_sampling_interval);
        data_.samples.write().insert({*local_queue.sample_at, index});
    }
}

void LedgersEditor::end(LocalQueueIndex index) {
    LocalQueueRecord& local_queue = local_queue_record(index);
    if (local_queue.sample_at) {
        data_.samples.write().erase({*local_queue.sample_at, index});
        local_queue.sample_at.reset();
    }
    local_queue.ledger = UsageLedger();
    local_queue.fair_usage = 0.0;
}

bool LedgersEditor::set_fair_usage(LocalQueueIndex index) {
    LocalQueueRecord& local_queue = local_queue_record(index);
    if (!data_.options->admission_fair_sharing || !local_queue.exists) {
        return false;
    }
    const double usage =
        local_queue.ledger.usage(data_.options->resource_weights, local_queue.weight);
    return std::exchange(local_queue.fair_usage, usage) != usage &&
           local_queue.cluster_queue.is_valid();
}

void LedgersEditor::update(LocalQueueIndex index) {
    if (set_fair_usage(index)) {
        queues_.reorder(data_.local_queues[index.at()].cluster_queue);
    }
}

void LedgersEditor::sample() {
    const Options& options = *data_.options;
    std::set<NodeIndex> reordered;  // each is reordered once, at the end
    while (!data_.samples->empty() && data_.samples->begin()->first <= now_) {
        const LocalQueueIndex index = data_.samples->begin()->second;
        data_.samples.write().erase(data_.samples->begin());
        LocalQueueRecord& local_queue = local_queue_record(index);
        const Time due =
            later(local_queue.ledger.last_update().value_or(now_), options.usage_sampling_interval);
        if (due <= now_ || local_queue.ledger.has_charges()) {
            local_queue.ledger.sample(admitted_of(local_queue), now_, options.usage_half_life);
            local_queue.sample_at = later(now_, options.usage_sampling_interval);
            if (set_fair_usage(index)) {
                reordered.insert(local_queue.cluster_queue);
            }
        } else {
            local_queue.sample_at = due;  // an admission updated the ledger since
        }
        data_.samples.write().insert({*local_queue.sample_at, index});
    }
    for (const auto cluster_queue : reordered) {
        queues_.reorder(cluster_queue);
    }
}

Billionths LedgersEditor::to_billionths(ResourceIndex resource, Amount amount) const {
    return Billionths{amount.value()} *
           (state_.resource_name(resource) == "cpu" ? 1'000'000 : 1'000'000'000);
}

ResourceAmounts LedgersEditor::admitted_of(const LocalQueueRecord& local_queue) const {
    ResourceAmounts made;
    for (const auto& usage : local_queue.admitted) {
        const ResourceIndex resource = state_.resource_of(usage.flavor_resource);
        made[state_.resource_name(resource)] += to_billionths(resource, usage.amount);
    }
    return made;
}

Usages* LedgersEditor::admitted_usage_for(WorkloadIndex index) {
    const WorkloadRecord& workload = record(index);
    if (!data_.options->admission_fair_sharing || !workload.holding->admitted ||
        !workload.local_queue.is_valid()) {
        return nullptr;
    }
    LocalQueueRecord& local_queue = local_queue_record(workload.local_queue);
    return local_queue.cluster_queue == workload.holding->cluster_queue ? &local_queue.admitted
                                                                        : nullptr;
}

void LedgersEditor::count(WorkloadIndex index) {
    if (Usages* admitted = admitted_usage_for(index)) {
        for (const auto& usage : record(index).holding->usages) {
            add_to(*admitted, usage.flavor_resource, usage.amount);
        }
    }
}

void LedgersEditor::stop_counting(WorkloadIndex index) {
    if (Usages* admitted = admitted_usage_for(index)) {
        for (const auto& usage : record(index).holding->usages) {
            add_to(*admitted, usage.flavor_resource, Amount() - usage.amount);
        }
    }
}

void LedgersEditor::recount(LocalQueueIndex index) {
    LocalQueueRecord& local_queue = local_queue_record(index);
    local_queue.admitted.clear();
    for (const auto workload : local_queue.workloads) {
        if (record(workload).holding != nullptr) {
            count(workload);
        }
    }
}

void LedgersEditor::charge(WorkloadIndex index) {
    const Options& options = *data_.options;
    const WorkloadRecord& workload = record(index);
    const ClusterQueueRecord& into = queue(workload.holding->cluster_queue);
    if (!state_.shares_admission_fairly(into)) {
        return;
    }
    ResourceAmounts requests;
    for (const auto& pod_set : workload.pod_sets) {
        for (const auto& request : pod_set.requests) {
            const bool covered = std::any_of(
                into.groups.begin(),
                into.groups.end(),
                [&request](const ResolvedGroup& group) {
                    return std::find(
                               group.resources.begin(), group.resources.end(), request.resource
                           ) != group.resources.end();
                }
            );
            if (covered || options.quota_check_strategy != QuotaCheckStrategy::IgnoreUndeclared) {
                requests[state_.resource_name(request.resource)] +=
                    to_billionths(request.resource, request.amount * pod_set.count_after_reclaim());
            }
        }
    }
    LocalQueueRecord& local_queue = local_queue_record(workload.local_queue);
    local_queue.ledger.charge(
        index,
        entry_penalty(requests, options.usage_sampling_interval, options.usage_half_life),
        now_
    );
    update(workload.local_queue);
}

void LedgersEditor::consume(WorkloadIndex index) {
    const WorkloadRecord& workload = record(index);
    if (!workload.local_queue.is_valid() ||
        !state_.shares_admission_fairly(queue(workload.holding->cluster_queue))) {
        return;
    }
    LocalQueueRecord& local_queue = local_queue_record(workload.local_queue);
    if (!local_queue.exists || local_queue.cluster_queue != workload.holding->cluster_queue) {
        return;
    }
    local_queue.ledger.consume(
        index, admitted_of(local_queue), now_, data_.options->usage_half_life
    );
    update(workload.local_queue);
}

void LedgersEditor::drop(WorkloadIndex index) {
    const LocalQueueIndex local_queue = record(index).local_queue;
    if (data_.options->admission_fair_sharing && local_queue.is_valid()) {
        local_queue_record(local_queue).ledger.drop(index);
        update(local_queue);
    }
}

void LedgersEditor::step_clock(Duration by) {
    data_.samples.write().clear();
    for (std::size_t i = 0; i < data_.local_queues.size(); ++i) {
        const auto index = make_index<LocalQueueIndex>(i);
        LocalQueueRecord& local_queue = local_queue_record(index);
        local_queue.ledger.step_clock(by);
        if (local_queue.sample_at) {
            local_queue.sample_at = shifted(*local_queue.sample_at, by);
            data_.samples.write().insert({*local_queue.sample_at, index});
        }
    }
}

}  // namespace sluice::engine
