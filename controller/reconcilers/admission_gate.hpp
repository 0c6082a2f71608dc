#pragma once

#include "api/workload.hpp"
#include "controller/reconcilers/reconcile.hpp"
#include "controller/reconcilers/settings.hpp"
#include "workload/waiting.hpp"

#include <optional>

namespace sluice::controller {

/// The write that tells in QuotaReserved=False that the annotation admission-gated-by has come or
/// gone; none: nothing has changed, or `waiting` says another reason, which is told instead.
/// Nothing else may write that reason in turns with it.
std::optional<Write> follow_admission_gate(
    const api::Workload& workload,
    const std::optional<workload::Waiting>& waiting,
    const Settings& settings,
    Time now
);

}  // namespace sluice::controller
