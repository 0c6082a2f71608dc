// Reconciles a Cohort: its weighted share, and warnings about its spec and its parents.
#pragma once

#include "controller/reconcile/reconcile.hpp"
#include "controller/reconcile/view.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace sluice::controller {

/// Publishes the Cohort's weighted share, which is known only if fair sharing is on (KEP-1714), and
/// records a warning event if the spec is invalid or if its parents form a cycle.
Outcome reconcile_cohort(
    const View& view, std::string_view name, std::optional<std::int64_t> weighted_share
);

}  // namespace sluice::controller
