#pragma once

#include "api/kueue/workload.hpp"
#include "controller/reconcile/stores.hpp"
#include "workload/status/waiting.hpp"

#include <optional>
#include <set>

namespace sluice::controller {

/// Whether nobody would start the Workload's job: its kind is one that users describe, and no
/// description of it is in force. Quota that such a Workload were given would be held for nothing.
/// `job_kinds`: the kinds that are managed; `withdrawn`: those of them whose description was taken
/// back. Null: none.
bool lacks_description(
    const api::Workload& workload,
    const Stores& stores,
    const std::set<Kind>* job_kinds,
    const std::set<Kind>* withdrawn
);

/// The same as what condition QuotaReserved=False is to say; none: nothing is missing.
std::optional<workload::Waiting> find_missing_description(
    const api::Workload& workload,
    const Stores& stores,
    const std::set<Kind>* job_kinds,
    const std::set<Kind>* withdrawn
);

}  // namespace sluice::controller
