#pragma once

#include "controller/reconcile/stores.hpp"
#include "workload/pods/translation_settings.hpp"
#include "workload/translation/references.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

/// What the stores say about queues: whether they may be used, and how much of them is in use.
namespace sluice::controller {

/// Whether the LocalQueue may be used: it is not stopped, and its ClusterQueue is there and active
/// by its published condition.
workload::Activity local_queue_activity(const Stores& stores, const api::LocalQueue& queue);

/// Amounts in base units (cpu in thousandths) by flavor and resource.
using FlavorAmounts = std::map<std::string, std::map<std::string, std::int64_t>>;

/// How many workloads a queue has, and the quota they hold.
struct QueueUsage {
    std::int32_t pending = 0;
    std::int32_t reserving = 0;
    std::int32_t admitted = 0;
    FlavorAmounts reservation;
    FlavorAmounts usage;
};

/// Adds a workload and its quota to the sums, where it holds any.
void count_holder(const api::Workload& workload, QueueUsage& usage);
QueueUsage cluster_queue_usage(
    const Stores& stores, const api::ClusterQueue& queue, const workload::TranslationGates& gates
);
QueueUsage local_queue_usage(
    const Stores& stores, const api::LocalQueue& queue, const workload::TranslationGates& gates
);

/// Sets the condition Active in a list of conditions; the transition time moves with the status.
void set_active(
    std::vector<api::Condition>& conditions,
    const workload::Activity& activity,
    std::int64_t generation,
    Time now
);

}  // namespace sluice::controller
