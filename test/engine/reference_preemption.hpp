#pragma once

#include "engine/reference_assignment.hpp"
#include "engine/types/decision.hpp"

#include <functional>
#include <set>
#include <vector>

namespace sluice::reference {

/// A workload to evict, by its number among the snapshot's holders.
struct Target {
    int holder = -1;
    engine::PreemptionReason reason = engine::PreemptionReason::InClusterQueue;
};

/// Which workload asks for room, and for what.
struct PreemptionRequest {
    const engine::Workload* workload = nullptr;
    int cluster_queue = -1;
    std::set<int> needed;  ///< pairs for which others must go
    Quantities usage;      ///< of the whole workload
};

/// Whether `a` is evicted before `b`, without admission fair sharing: evicted ones, those of other
/// ClusterQueues, lower priority, later reservation, uid.
bool goes_first(const Snapshot& snapshot, int a, int b, int cluster_queue, Time now);
/// Candidates are taken in this order. The rule of admission fair sharing, which holds
/// within a ClusterQueue, and the others, which hold between two, can make a circle in which
/// upstream's order depends on its sorting; here those of one ClusterQueue exchange places.
std::vector<int> in_order(
    const Snapshot& snapshot, std::vector<int> holders, int cluster_queue, Time now
);
/// Whether the policy lets the preemptor evict the candidate.
bool satisfies(
    engine::PreemptionPolicy policy, const engine::Workload& preemptor, const Holder& candidate
);
bool uses_any(const Holder& holder, const std::set<int>& pairs);
/// Re-adds targets that turned out not to be needed, one by one, unless `is_unfair` is true of the
/// others while it is back.
std::vector<Target> fill_back(
    Snapshot& snapshot,
    const PreemptionRequest& request,
    std::vector<Target> targets,
    bool borrowing,
    const std::function<bool(const std::vector<Target>& others)>& is_unfair = {}
);
bool fits(const Snapshot& snapshot, const PreemptionRequest& request, bool borrowing);

/// The workloads to evict for the request; none when nothing helps. Leaves the snapshot as it was.
std::vector<Target> find_targets(
    Snapshot& snapshot, const Rules& rules, const PreemptionRequest& request
);
/// By class of candidate, with borrowing or without.
std::vector<Target> find_classical_targets(
    Snapshot& snapshot, const Rules& rules, const PreemptionRequest& request
);
/// By share (KEP-1714).
std::vector<Target> find_fair_targets(
    Snapshot& snapshot, const Rules& rules, const PreemptionRequest& request
);

}  // namespace sluice::reference
