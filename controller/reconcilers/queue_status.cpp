#include "controller/reconcilers/queue_status.hpp"

#include "api/kueue/conditions.hpp"
#include "api/kueue/kueue_names.hpp"
#include "controller/reconcile/workload_status.hpp"
#include "workload/pods/amounts.hpp"
#include "workload/pods/text.hpp"
#include "workload/translation/queueable.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace sluice::controller {

namespace {

namespace reason = api::reason;

void add_amounts(const api::Workload& workload, FlavorAmounts& amounts) {
    if (!workload.status.admission) {
        return;
    }
    for (const api::PodSetAssignment& assignment : workload.status.admission->pod_set_assignments) {
        std::int64_t reclaimed = 0;
        for (const auto& entry : workload.status.reclaimable_pods) {
            reclaimed = entry.name == assignment.name ? entry.count : reclaimed;
        }
        const auto pod_set =
            std::ranges::find(workload.spec.pod_sets, assignment.name, &api::PodSet::name);
        const std::int64_t spec_count =
            pod_set == workload.spec.pod_sets.end() ? 0 : pod_set->count;
        const std::int64_t count = assignment.count.value_or(static_cast<std::int32_t>(spec_count));
        const std::int64_t left = std::max<std::int64_t>(0, spec_count - reclaimed);
        for (const auto& [resource, quantity] : assignment.resource_usage) {
            const auto flavor = assignment.flavors.find(resource);
            if (flavor == assignment.flavors.end()) {
                continue;
            }
            std::int64_t amount = workload::request_amount(resource, quantity).value();
            if (left < count && count > 0) {
                amount = amount / count * left;
            }
            std::int64_t& sum = amounts[flavor->second][resource];
            if (__builtin_add_overflow(sum, amount, &sum)) {
                sum = INT64_MAX;
            }
        }
    }
}

std::int32_t count_pending(
    const Stores& stores, const api::LocalQueue& queue, const workload::TranslationGates& gates
) {
    if (queue.spec.stop_policy != api::stop_policy::kNone) {
        return 0;
    }
    const auto& all = workloads_of_queue(stores, queue.metadata.namespace_, queue.metadata.name);
    return static_cast<std::int32_t>(std::ranges::count_if(all, [&gates](const auto& entry) {
        return workload::is_queueable(*entry.second, gates);
    }));
}

}  // namespace

workload::Activity local_queue_activity(const Stores& stores, const api::LocalQueue& queue) {
    if (queue.spec.stop_policy != api::stop_policy::kNone) {
        return {.is_active = false, .reason = reason::kStopped, .message = "LocalQueue is stopped"};
    }
    constexpr std::string_view kRefused = "Can't submit new workloads to clusterQueue";
    const auto cluster_queue = stores.of<api::ClusterQueue>().find(queue.spec.cluster_queue);
    if (!cluster_queue) {
        return {
            .is_active = false,
            .reason = reason::kClusterQueueDoesNotExist,
            .message = std::string(kRefused)
        };
    }
    if (api::is_true(cluster_queue->status.conditions, api::condition::kActive)) {
        return {
            .is_active = true,
            .reason = reason::kReady,
            .message = "Can submit new workloads to localQueue"
        };
    }
    return {
        .is_active = false,
        .reason = reason::kClusterQueueIsInactive,
        .message = std::string(kRefused)
    };
}

void count_holder(const api::Workload& workload, QueueUsage& usage) {
    if (!holds_quota(workload)) {
        return;
    }
    ++usage.reserving;
    add_amounts(workload, usage.reservation);
    if (is_admitted(workload)) {
        ++usage.admitted;
        add_amounts(workload, usage.usage);
    }
}

QueueUsage cluster_queue_usage(
    const Stores& stores, const api::ClusterQueue& queue, const workload::TranslationGates& gates
) {
    QueueUsage usage;
    for (const auto& [key, workload] : workloads_admitted_by(stores, queue.metadata.name)) {
        count_holder(*workload, usage);
    }
    for (const auto& [key, local_queue] : local_queues_of(stores, queue.metadata.name)) {
        usage.pending += count_pending(stores, *local_queue, gates);
    }
    return usage;
}

QueueUsage local_queue_usage(
    const Stores& stores, const api::LocalQueue& queue, const workload::TranslationGates& gates
) {
    QueueUsage usage;
    usage.pending = count_pending(stores, queue, gates);
    if (!stores.of<api::ClusterQueue>().find(queue.spec.cluster_queue)) {
        return usage;
    }
    for (const auto& [key, workload] :
         workloads_of_queue(stores, queue.metadata.namespace_, queue.metadata.name)) {
        const auto& admission = workload->status.admission;
        if (admission && admission->cluster_queue == queue.spec.cluster_queue) {
            count_holder(*workload, usage);
        }
    }
    return usage;
}

void set_active(
    std::vector<api::Condition>& conditions,
    const workload::Activity& activity,
    std::int64_t generation,
    Time now
) {
    api::set_condition(
        conditions,
        {.type_ = api::condition::kActive,
         .status =
             activity.is_active ? api::condition_status::kTrue : api::condition_status::kFalse,
         .observed_generation = generation,
         .last_transition_time = now,
         .reason = activity.reason,
         .message = workload::truncated_condition_message(activity.message)}
    );
}

}  // namespace sluice::controller
