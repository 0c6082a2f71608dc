// The reason why a Workload waits, if it can be found without a scheduling cycle.
#pragma once

#include "controller/reconcile/settings.hpp"
#include "workload/status/waiting.hpp"
#include "workload/translation/translator.hpp"

#include <optional>

namespace sluice::controller {

/// Returns reason and message for the Workload's condition QuotaReserved=False, if no scheduling
/// cycle is needed to find them; nullopt if there is nothing to report yet. Without gate
/// UnadmittedWorkloadsObservability only problems of the queues are reported, all with the reason
/// Inadmissible. `queue` and `cluster_queue` are the queues that the Workload uses, nullptr if they
/// do not exist.
std::optional<workload::Waiting> find_waiting_reason(
    const api::Workload& workload,
    const api::LocalQueue* queue,
    const api::ClusterQueue* cluster_queue,
    const workload::Translator& translator,
    const Settings& settings
);

}  // namespace sluice::controller
