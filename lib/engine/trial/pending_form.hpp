// The event of a workload of the state that waits for quota.
#pragma once

#include "engine/state/state.hpp"
#include "engine/types/event.hpp"
#include "engine/types/ids.hpp"

namespace sluice::engine {

/// Returns the workload as the state knows it, without a reservation: as it waits for quota, or
/// would wait after its eviction. Requires: it exists.
Workload pending_form(const State& state, WorkloadIndex workload);

}  // namespace sluice::engine
