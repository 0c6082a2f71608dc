// Detects Workloads whose job would never start, because its kind is no longer described.
#pragma once

#include "api/kueue/workload.hpp"
#include "controller/reconcile/stores.hpp"
#include "workload/status/waiting.hpp"

#include <optional>
#include <set>

namespace sluice::controller {

/// Returns true if no reconciler would start the Workload's job: users describe the job's kind, and
/// no description of it is in force. Quota given to such a Workload would be held for nothing.
/// `job_kinds`: the managed kinds; `withdrawn`: the managed kinds whose description was removed.
/// Each may be nullptr, which means no kinds.
bool lacks_description(
    const api::Workload& workload,
    const Stores& stores,
    const std::set<Kind>* job_kinds,
    const std::set<Kind>* withdrawn
);

/// Returns the reason and message for QuotaReserved=False if lacks_description(); nullopt
/// otherwise.
std::optional<workload::Waiting> find_missing_description(
    const api::Workload& workload,
    const Stores& stores,
    const std::set<Kind>* job_kinds,
    const std::set<Kind>* withdrawn
);

}  // namespace sluice::controller
