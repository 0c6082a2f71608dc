// The decision of a scheduling cycle, as the state takes it.
#pragma once

#include "base/cow.hpp"
#include "engine/state/workload_record.hpp"
#include "engine/types/decision.hpp"
#include "engine/types/ids.hpp"
#include "engine/types/time.hpp"

#include <cstdint>
#include <vector>

namespace sluice::engine {

/// The outcome of a cycle for the head of a ClusterQueue.
struct HeadOutcome {
    WorkloadIndex workload;
    NodeIndex cluster_queue;
    CowPtr<Holding> holding;  ///< the quota that it gets; without it the head goes back
    RequeuedTo requeued = RequeuedTo::Heap;  ///< where it goes back to
    CowPtr<LastAssignment> progress;         ///< where the next search for flavors goes on
    bool is_preemptor = false;               ///< others are evicted for it:
    std::vector<WorkloadIndex> victims;
    bool parks_class = false;  ///< nothing of its scheduling class can fit
};

/// The outcome of a cycle for a holder whose topology was to be assigned.
struct SecondPassOutcome {
    WorkloadIndex workload;
    SecondPassDecision::Outcome outcome = SecondPassDecision::Outcome::Failed;
    CowPtr<HeldPlacement> placement;  ///< if the outcome is Assigned
};

/// The decision of a scheduling cycle: made of a state that it does not change, and committed to
/// that state before any other change. Only `result` is for others.
struct CycleDecision {
    std::uint64_t version = 0;  ///< of the state that it was made of
    Time now;
    CycleResult result;
    bool is_blocked = false;         ///< the cycle ended at once, until all pods are ready
    bool blocks = false;             ///< the next cycles wait until all pods are ready
    WorkloadIndex held_back;         ///< the workload that is tried first then
    std::vector<HeadOutcome> heads;  ///< in the order of processing, then those not processed
    std::vector<SecondPassOutcome> second_passes;
    std::vector<WorkloadIndex> evicted;  ///< workloads whose eviction is new
};

}  // namespace sluice::engine
