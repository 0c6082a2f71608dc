#pragma once

#include "controller/reconcile/reconcile.hpp"
#include "controller/reconcile/view.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace sluice::controller {

/// Publishes the Cohort's weighted share, which is only known when fair sharing is on (KEP-1714),
/// and warns of an invalid spec and of a cycle of parents.
Outcome reconcile_cohort(
    const View& view, std::string_view name, std::optional<std::int64_t> weighted_share
);

}  // namespace sluice::controller
