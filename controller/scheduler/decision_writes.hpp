// The parts that writes of decisions have in common.
#pragma once

#include "api/kueue/workload.hpp"
#include "controller/reconcile/reconcile.hpp"

#include <string_view>

namespace sluice::controller {

/// The controller that the events of decisions name, as in Kueue.
inline constexpr std::string_view kDecisionController = "kueue-admission";

/// Returns an event about the workload.
EventNote decision_event(
    const api::Workload& workload,
    std::string_view reason,
    std::string_view note,
    EventType type = EventType::Normal
);

/// Returns the write of the workload's status. It names the uid but not the version: an admission
/// or eviction is valid for any newer state of the object.
Write loose_status_write(const api::Workload& workload);

}  // namespace sluice::controller
