#pragma once

#include "engine/state/state.hpp"
#include "engine/types/decision.hpp"
#include "workload/explanation/decision_view.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace sluice::workload {

/// What a node and those below it had of one flavor-resource.
struct WalkedSubtree {
    engine::Amount usage;       ///< what counts in the node itself
    std::vector<Held> holders;  ///< of what it counts, the largest first, then by name
    engine::Amount kept_back;   ///< unused, and lent to none by lending limits below the node
    engine::NodeIndex keeper;   ///< what keeps most of that; invalid: nothing
    engine::Amount most_kept;
};

/// What DecisionView says, worked out from scratch for one refusal by walking over all that is
/// below a node.
class WalkedView {
  public:
    using Of = DecisionView::Of;

    WalkedView(
        const engine::State& state,
        const engine::CycleResult& result,
        std::size_t refused,
        Of numbers
    );

    WalkedSubtree subtree(engine::NodeIndex node, engine::FlavorResourceIndex pair) const;

  private:
    /// What one workload was decided to have in the cycle.
    struct Addition {
        engine::WorkloadIndex workload;
        engine::Usages usages;
        bool is_reserved = false;
    };
    void add_turns_before(const engine::CycleResult& result, std::size_t refused);
    void add(const engine::AdmissionDecision& decision);
    void walk(engine::NodeIndex node, engine::FlavorResourceIndex pair, WalkedSubtree& found) const;
    bool is_above_asking(engine::NodeIndex node) const;

    const engine::State& state_;
    engine::NodeIndex asking_;
    std::set<engine::WorkloadIndex> absent_;  // not counted among the holders in the state
    std::map<engine::NodeIndex, std::vector<Addition>> additions_;  // by ClusterQueue
};

}  // namespace sluice::workload
