#pragma once

#include "engine/flavors/assignment.hpp"
#include "engine/flavors/workload_slice.hpp"
#include "engine/preemption/preemption.hpp"
#include "engine/types/decision.hpp"
#include "engine/types/ids.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace sluice::engine {

/// Why a head goes back to its queue: whether it is tried again at once follows from it and from
/// the ClusterQueue's strategy.
enum class RequeueReason : std::uint8_t {
    Generic,
    NamespaceMismatch,
    FailedAfterNomination,
    NoFit,
    PreemptionNoCandidates,
    PendingPreemption,
    PreemptionGated,
};

/// A head with what the cycle found out about it.
struct CycleEntry {
    WorkloadIndex workload;
    NodeIndex cluster_queue;
    Assignment assignment;
    std::optional<Assignment> fewest_pods;  ///< of no avail: see RefusalDecision
    std::vector<PreemptionTarget> targets;
    std::vector<WorkloadIndex> victims;  ///< `targets` once they are evicted for it
    std::optional<ReplacedSlice> slice;  ///< whose place it takes
    WorkloadIndex replaced;           ///< of the targets the one that is no victim; invalid: none
    CowPtr<LastAssignment> progress;  ///< the search for flavors goes on behind it
    CowPtr<LastAssignment> outdated;  ///< the progress that no longer counts
    bool is_preemptor =
        false;  ///< others are being evicted for it (gate PrioritizePreemptorWorkloads)
    bool admitted = false;
    bool processed = false;
    bool skipped = false;
    bool keep_progress =
        true;  ///< whether the next cycle goes on with the flavor after the last tried
    RequeueReason requeue = RequeueReason::Generic;
    RefusalDecision refusal;
};

}  // namespace sluice::engine
