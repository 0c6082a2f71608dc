#pragma once

#include "api/kueue/workload.hpp"
#include "controller/reconcile/reconcile.hpp"
#include "controller/reconcile/settings.hpp"
#include "workload/status/waiting.hpp"

#include <optional>

namespace sluice::controller {

/// Returns the write that says in QuotaReserved=False that the annotation admission-gated-by has
/// come or gone. Returns nullopt if nothing has changed, or if `waiting` has another reason: that
/// is written instead, and two writers of one condition would write without end.
std::optional<Write> follow_admission_gate(
    const api::Workload& workload,
    const std::optional<workload::Waiting>& waiting,
    const Settings& settings,
    Time now
);

}  // namespace sluice::controller
