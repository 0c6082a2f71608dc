#include "controller/reconcilers/local_queue.hpp"

#include "api/meta/codec.hpp"
#include "controller/reconcile/finalizer.hpp"
#include "controller/reconcilers/queue_status.hpp"
#include "workload/pods/amounts.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace sluice::controller {

namespace {

/// Returns the usage of every flavor of the ClusterQueue in the order of its spec, resources sorted
/// by name, unused ones with zero.
std::vector<api::LocalQueueFlavorUsage> make_local_usage(
    const api::ClusterQueue& queue, FlavorAmounts amounts
) {
    std::vector<api::LocalQueueFlavorUsage> list;
    for (const auto& group : queue.spec.resource_groups) {
        for (const auto& flavor : group.flavors) {
            api::LocalQueueFlavorUsage usage{.name = flavor.name, .resources = {}};
            for (const auto& quota : flavor.resources) {
                const engine::Amount used{amounts[flavor.name][quota.name]};
                usage.resources.push_back(
                    {.name = quota.name, .total = workload::to_quantity(quota.name, used)}
                );
            }
            std::ranges::sort(usage.resources, {}, &api::LocalQueueResourceUsage::name);
            list.push_back(std::move(usage));
        }
    }
    return list;
}

/// Adds zero for the covered resources of which nothing was consumed. `queue` may be nullptr.
void add_unused(api::AdmissionFairSharingStatus& consumed, const api::ClusterQueue* queue) {
    if (queue == nullptr) {
        return;
    }
    for (const auto& group : queue->spec.resource_groups) {
        for (const std::string& resource : group.covered_resources) {
            consumed.consumed_resources.try_emplace(resource);
        }
    }
}

/// Returns when the consumption in the status was last sampled; nullopt if it never was.
std::optional<Time> last_sample(const api::LocalQueueStatus& status) {
    if (!status.fair_sharing || !status.fair_sharing->admission_fair_sharing_status) {
        return std::nullopt;
    }
    return status.fair_sharing->admission_fair_sharing_status->last_update;
}

/// Returns true if the sample in the status is at least one interval old. The status has times in
/// whole seconds, so with an interval below a second every change is published.
bool is_due(
    const api::LocalQueueStatus& status,
    const api::AdmissionFairSharingStatus& consumed,
    Duration interval
) {
    const auto last = last_sample(status);
    if (!last || !consumed.last_update || interval < std::chrono::seconds(1)) {
        return true;
    }
    return *consumed.last_update - *last >= std::chrono::floor<std::chrono::seconds>(interval);
}

}  // namespace

Outcome reconcile_local_queue(
    const View& view,
    std::string_view ns,
    std::string_view name,
    std::optional<api::AdmissionFairSharingStatus> consumed,
    Time now
) {
    Outcome outcome;
    const Stores& stores = view.stores;
    const auto queue = stores.of<api::LocalQueue>().find(ns, name);
    if (!queue) {
        return outcome;
    }
    const QueueUsage usage = local_queue_usage(stores, *queue, view.settings.gates);
    api::LocalQueue wanted = *queue;
    set_active(
        wanted.status.conditions,
        local_queue_activity(stores, *queue),
        queue->metadata.generation,
        now
    );
    wanted.status.pending_workloads = usage.pending;
    wanted.status.reserving_workloads = usage.reserving;
    wanted.status.admitted_workloads = usage.admitted;
    wanted.status.flavors_reservation.clear();
    wanted.status.flavors_usage.clear();
    if (const auto cluster_queue = stores.of<api::ClusterQueue>().find(queue->spec.cluster_queue)) {
        wanted.status.flavors_reservation = make_local_usage(*cluster_queue, usage.reservation);
        wanted.status.flavors_usage = make_local_usage(*cluster_queue, usage.usage);
    }
    if (view.settings.admission_fair_sharing && consumed) {
        add_unused(*consumed, stores.of<api::ClusterQueue>().find(queue->spec.cluster_queue).get());
        const Duration interval = view.settings.admission_fair_sharing->usage_sampling_interval;
        if (is_due(queue->status, *consumed, interval)) {
            wanted.status.fair_sharing = api::LocalQueueFairSharingStatus{
                .weighted_share = 0, .admission_fair_sharing_status = std::move(consumed)
            };
        }
        outcome.requeue_at = now + interval;
    }
    if (auto write = patch_status(
            {kind_of<api::LocalQueue>(), std::string(ns), std::string(name)},
            queue->metadata,
            api::to_value(*queue),
            api::to_value(wanted)
        )) {
        outcome.writes.push_back(std::move(*write));
    }
    return outcome;
}

}  // namespace sluice::controller
