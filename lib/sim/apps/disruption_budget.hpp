#pragma once

#include "sim/turn.hpp"

namespace sluice::sim {

/// One turn over a PodDisruptionBudget: how many of its pods may be evicted now.
Outcome reconcile_disruption_budget(const Turn& turn);

}  // namespace sluice::sim
