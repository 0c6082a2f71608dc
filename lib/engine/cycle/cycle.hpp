#pragma once

#include "engine/cycle/cycle_entry.hpp"
#include "engine/cycle/fair_tournament.hpp"
#include "engine/flavors/assignment.hpp"
#include "engine/preemption/candidate_lists.hpp"
#include "engine/preemption/preemption.hpp"
#include "engine/quota/usage_view.hpp"
#include "engine/state/cycle_decision.hpp"
#include "engine/state/state.hpp"
#include "engine/types/decision.hpp"

#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace sluice::engine {

/// One scheduling cycle. Internal to the engine; see run_cycle().
class Cycle {
  public:
    /// Requires: the state is fresh, see refresh() in engine.hpp. *Lifetime*: of the state.
    Cycle(const State& state, Time now);
    CycleDecision run();

  private:
    void take_heads();
    void nominate();
    void order();
    void process();
    /// Decides what becomes of each head.
    void settle();
    HeadOutcome admitted(const CycleEntry& entry, const AdmissionDecision& decision) const;
    HeadOutcome sent_back(CycleEntry& entry);
    /// Returns the progress of the search for flavors that the next cycle goes on with.
    CowPtr<LastAssignment> progress_of(const CycleEntry& entry) const;
    RequeuedTo requeued_to(const CycleEntry& entry, bool has_progress) const;

    std::optional<RefusalKind> refuse_early(WorkloadIndex workload) const;
    void find_assignment(CycleEntry& entry, const Assignment* pinned);
    std::optional<Assignment> find_partial(CycleEntry& entry, const Assignment* pinned);
    std::vector<PreemptionTarget> find_targets(
        const CycleEntry& entry, const Assignment& assignment
    );
    static void count_slice_as_free(CycleEntry& entry);
    /// The slice that it takes the place of is no victim.
    void spare_replaced(CycleEntry& entry);
    bool is_progress_outdated(const CycleEntry& entry) const;

    /// The next entry in the order of order(), nullptr behind the last.
    CycleEntry* next_entry();

    void process(CycleEntry& entry);
    /// Refuses what it was nominated for and does not get any more.
    void skip(CycleEntry& entry, bool is_overlapping);
    void recompute_if_overlapping(CycleEntry& entry);
    bool fits(const CycleEntry& entry);
    bool overlaps(const CycleEntry& entry) const;
    /// Returns usage as it is, with what the cycle has given to entries so far.
    const UsageView& as_is() const { return as_is_ ? *as_is_ : after_; }
    /// Returns usage as it will be once the workloads are gone that the cycle evicts.
    UsageView& after_evictions();
    /// Takes the entry's own targets out of the view too.
    void clear_for(const CycleEntry& entry, UsageView& view) const;
    void evict(WorkloadIndex victim);
    /// Counts the demand from now on for the entries to come.
    void assume(const Demand& demand);
    /// Records what the entry cannot have in that view.
    void note_shortages(CycleEntry& entry, const UsageView& view) const;
    void reserve_for_blocked(CycleEntry& entry);
    static void move_findings(CycleEntry& entry);
    static void move_findings(Assignment& assignment, std::vector<PodSetRefusal>& into);
    void refuse(CycleEntry& entry, WaitingReason reason, RefusalKind kind);
    void issue_preemptions(CycleEntry& entry);
    void admit(CycleEntry& entry);
    void hold_decided(Holding& holding, const PodSets& pod_sets, const AdmissionDecision& decision)
        const;
    bool requeues_immediately(const CycleEntry& entry) const;

    const State& state_;
    Time now_;
    UsageView after_;                 ///< see after_evictions()
    std::optional<UsageView> as_is_;  ///< from the first eviction on: until then as after_
    std::vector<WorkloadIndex> heads_;
    std::vector<CycleEntry> entries_;
    std::vector<CycleEntry> refused_early_;
    std::vector<CycleEntry*> classical_;  // in order, the next one last
    FairTournament fair_;
    std::vector<CycleEntry*> processed_;  // in processing order
    std::set<WorkloadIndex> victims_;
    /// They again as they were chosen. Upstream takes their usage away behind all that the cycle
    /// assumes, in the order of a map; where sums have saturated the order counts.
    std::vector<WorkloadIndex> victims_in_order_;
    bool is_order_relevant_ = false;  ///< the order counts
    CandidateLists candidates_;
    PreemptionSearch search_;
    bool blocked_ = false;
    WorkloadIndex was_held_back_;  ///< a cycle before ended at it for pods to become ready
    CycleDecision decision_;
};

}  // namespace sluice::engine
