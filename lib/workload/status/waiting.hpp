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

/// Of the reasons of find_obstacle() those that are about the queues: one is missing or stopped.
std::optional<Waiting> find_queue_obstacle(
    const api::Workload& workload,
    const api::LocalQueue* queue,
    const api::ClusterQueue* cluster_queue,
    const Translator& translator
);

/// Why the scheduler will not even consider the workload, the first reason that applies:
/// deactivated, on hold, its LocalQueue or ClusterQueue missing or stopped, not admissible to that
/// whatever the quota, gated. None: it is for the scheduler to say. `queue` and `cluster_queue` are
/// those that it names, nullptr where there is none.
std::optional<Waiting> find_obstacle(
    const api::Workload& workload,
    const api::LocalQueue* queue,
    const api::ClusterQueue* cluster_queue,
    const Translator& translator,
    const TranslationGates& gates
);

}  // namespace sluice::workload
