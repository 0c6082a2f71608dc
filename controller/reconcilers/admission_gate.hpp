// Reports in a Workload's status that the annotation admission-gated-by holds it back.
#pragma once

#include "api/kueue/workload.hpp"
#include "controller/reconcile/reconcile.hpp"
#include "controller/reconcile/settings.hpp"
#include "workload/status/waiting.hpp"

#include <optional>

namespace sluice::controller {

/// Returns the write that reports in QuotaReserved=False that the annotation admission-gated-by was
/// set or removed. Returns nullopt if nothing has changed, or if `waiting` has another reason. In
/// the latter case the other reason is written: if both were, two writers of one condition would
/// overwrite each other without end.
std::optional<Write> follow_admission_gate(
    const api::Workload& workload,
    const std::optional<workload::Waiting>& waiting,
    const Settings& settings,
    Time now
);

}  // namespace sluice::controller
