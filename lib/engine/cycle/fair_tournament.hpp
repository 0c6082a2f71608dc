#pragma once

#include "engine/cycle/cycle_entry.hpp"
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
    /// `tree` is the one in which the cycle assumes usage.
    FairTournament(const State& state, const QuotaTree& tree) : state_(state), tree_(tree) {}

    /// Takes the entries to order, at most one of a ClusterQueue. They must stay where they are,
    /// and what the cycle has assumed for others by now must stay assumed.
    void enter(const std::vector<CycleEntry*>& entries);
    /// The next entry to process, nullptr at the end; trees by the name of their root. What was
    /// assumed in the tree for the entry before must stay assumed.
    CycleEntry* pop();

  private:
    /// The entry that a node sends into its parent's contest.
    struct Standing {
        NodeIndex node;
        Standing* parent = nullptr;
        CycleEntry* winner = nullptr;
        Usages usage;  ///< of the winner, as it counts in the node
        Share share;   ///< of the node with it
        bool borrows = false;
        std::vector<Standing*> contest;  ///< cohorts: a heap of the children that have a winner
    };
    struct Loses {
        const State& state;
        bool operator()(const Standing* a, const Standing* b) const;
    };

    Standing& standing_of(NodeIndex node);
    /// Chooses the node's winner anew. Requires: its contest is a heap.
    void choose(Standing& standing);
    void leave(Standing& cluster_queue);

    const State& state_;
    const QuotaTree& tree_;
    std::map<NodeIndex, Standing> standings_;
    std::vector<Standing*> roots_;   // those that still have an entry, the next one last
    Standing* processed_ = nullptr;  // the ClusterQueue whose entry was popped last
};

}  // namespace sluice::engine
