// One scheduling cycle, decided on a state that it does not change.
#pragma once

#include "engine/cycle/cycle_entry.hpp"
#include "engine/cycle/fair_tournament.hpp"
#include "engine/flavors/assignment.hpp"
#include "engine/flavors/flavor_assigner.hpp"
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

/// Decides one scheduling cycle. Internal to the engine; see decide() in engine.hpp.
class Cycle {
  public:
    /// Requires: the state is fresh, see refresh() in engine.hpp. *Lifetime*: of the state.
    Cycle(const State& state, Time now, Recording recording);
    CycleDecision run();
    /// Decides as if the workload were the only head, and no search for its flavors had begun.
    /// Requires: it names a ClusterQueue that exists, and holds no quota.
    CycleDecision run_alone(WorkloadIndex workload);

  private:
    CycleDecision decide_heads();
    void take_heads();
    void take_second_passes();
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

    std::optional<RefusalKind> refuse_early(const CycleEntry& entry) const;
    void find_assignment(CycleEntry& entry, const Assignment* pinned);
    FlavorAssigner assigner_for(const CycleEntry& entry, const Assignment* pinned);
    std::optional<Assignment> find_partial(CycleEntry& entry, const Assignment* pinned);
    std::vector<PreemptionTarget> find_targets(
        const CycleEntry& entry, const Assignment& assignment
    );
    static void count_slice_as_free(CycleEntry& entry);
    /// Removes the slice that the entry's workload replaces from the entry's targets: a replaced
    /// slice is not a victim.
    void spare_replaced(CycleEntry& entry);
    bool is_progress_outdated(const CycleEntry& entry) const;

    /// Returns the next entry in the order that order() made; nullptr after the last.
    CycleEntry* next_entry();

    void process(CycleEntry& entry);
    /// Refuses an entry that has nothing to evict, or may not evict yet.
    bool may_preempt(CycleEntry& entry);
    /// Refuses an entry whose nomination no longer fits, or whose victims another entry takes.
    void skip(CycleEntry& entry, bool is_overlapping);
    /// Finds an assignment again if victims of others or places taken by others require it.
    void recompute_if_needed(CycleEntry& entry);
    void recompute(CycleEntry& entry);
    /// Gives an entry for which others are evicted the places that it is to get then.
    void reserve_places(CycleEntry& entry, FlavorAssigner& assigner);
    bool lacks_places_alone(const CycleEntry& entry);
    /// Records the outcome of an entry that held quota before the cycle.
    void settle_second_pass(CycleEntry& entry);
    /// Settles second passes that another entry of their ClusterQueue displaced.
    void settle_displaced();
    static bool loses_node(const State& state, const CycleEntry& entry);
    bool fits(const CycleEntry& entry);
    bool overlaps(const CycleEntry& entry) const;
    /// Returns present usage together with what the cycle has given to entries so far.
    const UsageView& as_is() const { return as_is_ ? *as_is_ : after_; }
    /// Returns that usage without the workloads that the cycle evicts.
    UsageView& after_evictions();
    /// Also removes the entry's own targets from the view.
    void clear_for(const CycleEntry& entry, UsageView& view) const;
    void evict(WorkloadIndex victim);
    /// Counts the demand in all usage that later entries see.
    void assume(const Demand& demand);
    /// Records what the entry cannot have in that view.
    void note_shortages(CycleEntry& entry, const UsageView& view) const;
    /// Records the usage that is kept for the entry until the end of the cycle.
    void note_reserved(CycleEntry& entry, const Usages& reserved) const;
    void reserve_for_blocked(CycleEntry& entry);
    void move_findings(CycleEntry& entry) const;
    static void move_findings(Assignment& assignment, std::vector<PodSetRefusal>& into);
    void refuse(CycleEntry& entry, WaitingReason reason, RefusalKind kind);
    void issue_preemptions(CycleEntry& entry);
    void admit(CycleEntry& entry);
    void hold_decided(Holding& holding, const PodSets& pod_sets, const AdmissionDecision& decision)
        const;
    /// Returns true if a second pass found nothing to place for a delayed topology.
    bool stays_delayed(const CycleEntry& entry) const;
    /// Adds the leaves as those of a topology, or as room on nodes.
    void hold_leaves(
        HeldPlacement& into, const AssignedPodSet& pod_set, const std::vector<LeafPods>& leaves
    ) const;
    HeldTopology held_topology(const AssignedPodSet& pod_set, const std::vector<LeafPods>& leaves)
        const;
    /// Moves what the assignment gives each podSet.
    void add_pod_sets(Assignment& assignment, SmallVector<AssignedPodSet, 1>& into) const;
    bool requeues_immediately(const CycleEntry& entry) const;

    const State& state_;
    Time now_;
    bool explains_;
    bool is_alone_ = false;           ///< see run_alone()
    UsageView after_;                 ///< see after_evictions()
    std::optional<UsageView> as_is_;  ///< nullopt before the first eviction: equal to after_
    std::vector<WorkloadIndex> heads_;
    std::vector<CycleEntry> entries_;
    std::vector<CycleEntry> refused_early_;
    std::vector<CycleEntry*> classical_;  // in reverse order: the next entry is the last
    FairTournament fair_;
    std::vector<CycleEntry*> processed_;  // in processing order
    std::set<WorkloadIndex> victims_;
    /// The victims in the order in which they were chosen. Kueue subtracts their usage after all
    /// that the cycle assumes, in the order of a map. The order matters if sums have saturated.
    std::vector<WorkloadIndex> victims_in_order_;
    bool is_order_relevant_ = false;  ///< the order of victims matters
    CandidateLists candidates_;
    PreemptionSearch search_;
    PreemptionSearch* active_search_ = &search_;          ///< that the assignment of an entry uses
    const std::set<WorkloadIndex>* removed_ = &victims_;  ///< holders that do not count for it
    std::vector<WorkloadIndex> second_passes_;
    bool blocked_ = false;
    WorkloadIndex was_held_back_;  ///< an earlier cycle stopped at it to wait for pods to be ready
    CycleDecision decision_;
};

}  // namespace sluice::engine
