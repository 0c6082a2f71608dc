// Reconciles a LocalQueue: its status and its consumption for admission fair sharing.
#pragma once

#include "api/kueue/local_queue.hpp"
#include "controller/reconcile/reconcile.hpp"
#include "controller/reconcile/view.hpp"

#include <optional>
#include <string_view>

namespace sluice::controller {

/// Keeps the LocalQueue's status up to date: Active, counters, usage by flavor, and once per
/// sampling interval the resources that it has consumed. `consumed`: nullopt without admission fair
/// sharing.
Outcome reconcile_local_queue(
    const View& view,
    std::string_view ns,
    std::string_view name,
    std::optional<api::AdmissionFairSharingStatus> consumed,
    Time now
);

}  // namespace sluice::controller
