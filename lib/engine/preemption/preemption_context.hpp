#pragma once

#include "engine/preemption/candidate_lists.hpp"
#include "engine/quota/usage_view.hpp"
#include "engine/state/state.hpp"
#include "engine/types/ids.hpp"

#include <set>

namespace sluice::engine {

/// The cluster as a search for victims finds it. *Lifetime*: of all that it refers to.
struct PreemptionContext {
    const State& state;
    /// Usage at that moment. A search takes back what it assumes there.
    UsageView& view;
    CandidateLists& candidates;
    const std::set<WorkloadIndex>& removed;  ///< holders that the cycle evicts: they count as gone
};

/// Returns what the workload holds. Requires: it holds quota.
inline Demand held_by(const State& state, WorkloadIndex holder) {
    const Holding& holding = *state.workload(holder).holding;
    return {.cluster_queue = holding.cluster_queue, .usages = holding.usages};
}

}  // namespace sluice::engine
