// The condition Active, the counters and the quota usage of queues, computed from the stores.
#pragma once

#include "controller/reconcile/stores.hpp"
#include "workload/pods/translation_settings.hpp"
#include "workload/translation/references.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

/// The status of queues as the stores show it: whether a queue is active, and how much of it is
/// used.
namespace sluice::controller {

/// Returns whether the LocalQueue is active: it is not stopped, and its ClusterQueue exists and has
/// the condition Active=True.
workload::Activity local_queue_activity(const Stores& stores, const api::LocalQueue& queue);

/// Amounts by flavor and resource, in base units (cpu in thousandths).
using FlavorAmounts = std::map<std::string, std::map<std::string, std::int64_t>>;

/// The number of a queue's workloads, and the quota that they hold.
struct QueueUsage {
    std::int32_t pending = 0;
    std::int32_t reserving = 0;
    std::int32_t admitted = 0;
    FlavorAmounts reservation;
    FlavorAmounts usage;
};

/// Adds a workload and its quota to `usage`; does nothing if it holds no quota.
void count_holder(const api::Workload& workload, QueueUsage& usage);
/// Returns the counts and amounts for the ClusterQueue's status.
QueueUsage cluster_queue_usage(
    const Stores& stores, const api::ClusterQueue& queue, const workload::TranslationGates& gates
);
/// Returns the counts and amounts for the LocalQueue's status. Workloads that hold quota count only
/// if they hold it in the LocalQueue's present ClusterQueue.
QueueUsage local_queue_usage(
    const Stores& stores, const api::LocalQueue& queue, const workload::TranslationGates& gates
);

/// Sets the condition Active. Its lastTransitionTime changes only if its status changes.
void set_active(
    std::vector<api::Condition>& conditions,
    const workload::Activity& activity,
    std::int64_t generation,
    Time now
);

}  // namespace sluice::controller
