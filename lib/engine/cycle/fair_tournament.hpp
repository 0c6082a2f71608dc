// The order in which fair sharing processes the entries of a cycle.
#pragma once

#include "engine/cycle/cycle_entry.hpp"
#include "engine/quota/usage_view.hpp"
#include "engine/state/fair_sharing.hpp"
#include "engine/state/state.hpp"

#include <map>
#include <vector>

namespace sluice::engine {

/// The order in which fair sharing processes the entries of a cycle (KEP-1714): each cohort sends
/// its best child's entry upwards, compared by the share that the child would have with it.
///
/// Processing an entry changes usage on its path to the root alone, so that the next winner costs
/// O(depth · log children), not a comparison of all. Internal to the cycle.
class FairTournament {
  public:
    explicit FairTournament(const State& state) : state_(state) {}

    /// Takes the entries to order, at most one of a ClusterQueue, and usage as the cycle has it
    /// now. *Lifetime*: the entries must stay where they are.
    void enter(const std::vector<CycleEntry*>& entries, const UsageView& view);
    /// Returns the next entry to process, nullptr at the end; trees in the order of their root's
    /// name. Requires: usage has changed since the last call by what the last entry got, at most.
    CycleEntry* pop(const UsageView& view);

  private:
    /// The entry that a node sends into its parent's contest.
    struct Entrant {
        NodeIndex node;
        Entrant* parent = nullptr;
        CycleEntry* winner = nullptr;
        Usages usage;  ///< of the winner, as it counts in the node
        Share share;   ///< of the node with it
        bool borrows = false;
        std::vector<Entrant*> contest;  ///< cohorts: a heap of the children that have a winner
    };
    struct Loses {
        const State& state;
        bool operator()(const Entrant* a, const Entrant* b) const;
    };

    Entrant& entrant_of(NodeIndex node);
    /// Chooses the node's winner again. Requires: its contest is a heap.
    void choose(Entrant& entrant, const UsageView& view);
    void leave(Entrant& cluster_queue, const UsageView& view);

    const State& state_;
    std::map<NodeIndex, Entrant> entrants_;
    std::vector<Entrant*> roots_;   // those that still have an entry, the next one last
    Entrant* processed_ = nullptr;  // the ClusterQueue whose entry was popped last
};

}  // namespace sluice::engine
