// A head with all that a cycle finds out about it.
#pragma once

#include "engine/flavors/assignment.hpp"
#include "engine/flavors/workload_slice.hpp"
#include "engine/preemption/preemption.hpp"
#include "engine/quota/usage_view.hpp"
#include "engine/types/decision.hpp"
#include "engine/types/ids.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace sluice::engine {

/// The reason for which a head goes back to its queue. Together with the ClusterQueue's strategy it
/// decides whether the head is tried again at once.
enum class RequeueReason : std::uint8_t {
    Generic,
    NamespaceMismatch,
    FailedAfterNomination,
    NoFit,
    PreemptionNoCandidates,
    PendingPreemption,
    PreemptionGated,
};

/// A head and the cycle's findings about it.
struct CycleEntry {
    WorkloadIndex workload;
    NodeIndex cluster_queue;
    Assignment assignment;
    std::optional<Assignment>
        fewest_pods;  ///< with the fewest pods, which does not fit either: see RefusalDecision
    std::vector<PreemptionTarget> targets;
    std::vector<WorkloadIndex> victims;  ///< the targets, once they are evicted for this entry
    std::optional<ReplacedSlice> slice;  ///< the slice that it replaces
    WorkloadIndex
        replaced;  ///< the target that is replaced, not evicted; an invalid index without one
    CowPtr<LastAssignment> progress;  ///< where the search for flavors continues
    CowPtr<LastAssignment> outdated;  ///< progress that is outdated
    bool is_preemptor =
        false;  ///< others are being evicted for it (gate PrioritizePreemptorWorkloads)
    bool holds_quota = false;         ///< only its topology is to be assigned
    bool has_no_replacement = false;  ///< it is evicted, because no node replaces a failed one
    bool admitted = false;
    bool processed = false;
    bool skipped = false;
    bool keep_progress =
        true;  ///< whether the next cycle goes on with the flavor after the last tried
    RequeueReason requeue = RequeueReason::Generic;
    RefusalDecision refusal;

    /// Returns the usage that it would add.
    Demand demand() const {
        static const Usages kNone;
        return {
            .cluster_queue = cluster_queue,
            .usages = holds_quota ? kNone : assignment.usage,
            .leaves = assignment.leaves(),
            .starts = assignment.mode == AssignmentMode::Fit,
        };
    }
};

}  // namespace sluice::engine
