#pragma once

#include "controller/reconcile/settings.hpp"
#include "workload/status/waiting.hpp"
#include "workload/translation/translator.hpp"

#include <optional>

namespace sluice::controller {

/// What condition QuotaReserved=False of the Workload is to say, as far as it can be told without
/// the scheduler; none: nothing is to be said yet. Without gate UnadmittedWorkloadsObservability
/// only what is wrong with its queues is told, all under one reason. `queue` and `cluster_queue`
/// are those that it names, nullptr where there is none.
std::optional<workload::Waiting> find_waiting_reason(
    const api::Workload& workload,
    const api::LocalQueue* queue,
    const api::ClusterQueue* cluster_queue,
    const workload::Translator& translator,
    const Settings& settings
);

}  // namespace sluice::controller
