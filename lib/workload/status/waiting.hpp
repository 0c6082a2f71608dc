// Finds the reason why the scheduler does not consider a workload.
#pragma once

#include "api/kueue/cluster_queue.hpp"
#include "api/kueue/local_queue.hpp"
#include "api/kueue/workload.hpp"
#include "workload/pods/translation_settings.hpp"
#include "workload/translation/translator.hpp"

#include <optional>
#include <string>

namespace sluice::workload {

/// The content of condition QuotaReserved=False.
struct Waiting {
    std::string reason;
    std::string message;

    friend bool operator==(const Waiting&, const Waiting&) = default;
};

/// Returns the first reason of find_obstacle() that concerns the queues: one is missing or stopped.
std::optional<Waiting> find_queue_obstacle(
    const api::Workload& workload,
    const api::LocalQueue* queue,
    const api::ClusterQueue* cluster_queue,
    const Translator& translator
);

/// Returns the first reason why the scheduler does not consider the workload: it is deactivated or
/// on hold, its LocalQueue or ClusterQueue is missing or stopped, the ClusterQueue cannot admit it
/// whatever the quota, or it is gated. Returns nullopt if the scheduler decides. `queue`,
/// `cluster_queue`: the queues that the workload names, nullptr if missing.
std::optional<Waiting> find_obstacle(
    const api::Workload& workload,
    const api::LocalQueue* queue,
    const api::ClusterQueue* cluster_queue,
    const Translator& translator,
    const TranslationGates& gates
);

}  // namespace sluice::workload
