// Reconciles a Cohort: its weighted share, and warnings about its spec and its parents.
#pragma once

#include "controller/reconcile/reconcile.hpp"
#include "controller/reconcile/view.hpp"
#include "controller/reconcilers/quota_drift.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace sluice::controller {

/// Publishes the Cohort's weighted share, which is known only if fair sharing is on (KEP-1714), and
/// records a warning event if the spec is invalid, if its parents form a cycle, or if the quota of
/// the cohort and of all below it exceeds what nodes can give.
Outcome reconcile_cohort(
    const View& view,
    std::string_view name,
    std::optional<std::int64_t> weighted_share,
    const QuotaDrift& drift
);

}  // namespace sluice::controller
