#pragma once

#include "engine/decision.hpp"
#include "engine/state.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace sluice::workload {

/// What a workload has of one flavor-resource, or what a cycle keeps for it.
struct Held {
    engine::WorkloadIndex workload;
    engine::NodeIndex cluster_queue;
    engine::Amount amount;
    bool is_reserved = false;  ///< it has nothing yet: others are evicted for it, or it comes first
};

/// What a node and those below it had of one flavor-resource.
struct Subtree {
    engine::Amount usage;       ///< what counts in the node itself
    std::vector<Held> holders;  ///< of what it counts, the largest first, then by name
    engine::Amount kept_back;   ///< unused, and lent to nobody by lending limits below the node
    engine::NodeIndex keeper;   ///< who keeps most of that; invalid: nobody
    engine::Amount most_kept;
};

/// Who held what when a cycle refused a workload. The state itself is as the cycle left it: with
/// admissions that came later in the cycle, and without what counted as free or taken meanwhile.
class DecisionView {
  public:
    /// Of which numbers of the refusal: those of its podSets, or its shortages.
    enum class Of : std::uint8_t { PodSets, Shortages };

    /// *Lifetime*: of the state and until its next event. *Cost*: of the decisions before.
    DecisionView(
        const engine::State& state,
        const engine::CycleResult& result,
        std::size_t refused,
        Of numbers
    );

    /// *Cost*: nodes and holders below the node.
    Subtree subtree(engine::NodeIndex node, engine::FlavorResourceIndex pair) const;

  private:
    /// What one workload was decided to have in the cycle.
    struct Addition {
        engine::WorkloadIndex workload;
        engine::Usages usages;
        bool is_reserved = false;
    };
    void add_turns_before(const engine::CycleResult& result, std::size_t refused);
    void add(const engine::AdmissionDecision& decision);
    void walk(engine::NodeIndex node, engine::FlavorResourceIndex pair, Subtree& found) const;
    bool is_above_asking(engine::NodeIndex node) const;

    const engine::State& state_;
    engine::NodeIndex asking_;
    std::set<engine::WorkloadIndex> absent_;  // not counted among the holders in the state
    std::map<engine::NodeIndex, std::vector<Addition>> additions_;  // by ClusterQueue
};

}  // namespace sluice::workload
