// The cluster as a search for victims sees it.
#pragma once

#include "engine/preemption/candidate_lists.hpp"
#include "engine/quota/usage_view.hpp"
#include "engine/state/state.hpp"
#include "engine/types/ids.hpp"

#include <set>

namespace sluice::engine {

/// The state, the usage and the candidates of a search. *Lifetime*: all that it refers to outlives
/// it.
struct PreemptionContext {
    const State& state;
    /// The current usage. A search takes its own changes back.
    UsageView& view;
    CandidateLists& candidates;
    /// Holders that the cycle evicts; they no longer count.
    const std::set<WorkloadIndex>& removed;
};

/// Returns the usage of a holder. Requires: the workload holds quota.
inline Demand held_by(const State& state, WorkloadIndex holder) {
    const Holding& holding = *state.workload(holder).holding;
    Demand held{.cluster_queue = holding.cluster_queue, .usages = holding.usages};
    if (holding.placement != nullptr) {
        held.leaves = holding.placement->leaves;
    }
    return held;
}

}  // namespace sluice::engine
