#pragma once

#include "engine/preemption/candidate_lists.hpp"
#include "engine/quota/quota_tree.hpp"
#include "engine/state/state.hpp"
#include "engine/types/ids.hpp"

#include <set>

namespace sluice::engine {

/// The cluster as a search for victims finds it. *Lifetime*: of all that it refers to.
struct PreemptionContext {
    const State& state;
    /// Usage at that moment: the state's own tree, or one that was copied from it and changed. What
    /// a search assumes there it takes back.
    QuotaTree& tree;
    CandidateLists& candidates;
    const std::set<WorkloadIndex>& removed;  ///< holders that the cycle evicts: they count as gone
};

/// Takes what the workload holds out of the tree, until what-ifs are rolled back.
void assume_gone(QuotaTree& tree, const State& state, WorkloadIndex holder);

}  // namespace sluice::engine
