// Replays a cycle's decisions to show which workload held how much quota at each refusal.
#pragma once

#include "engine/state/state.hpp"
#include "engine/types/decision.hpp"
#include "workload/explanation/holdings.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sluice::workload {

/// Shows which workload held how much quota when a cycle refused a workload. The state cannot show
/// this: it has the cycle's later admissions, and not what counted as free or taken meanwhile.
class DecisionView {
  public:
    /// Selects the numbers of a refusal: those of its podSets, or its shortages.
    enum class Of : std::uint8_t { PodSets, Shortages };

    /// *Lifetime*: keeps references to both arguments; valid until the state's next event.
    DecisionView(const engine::State& state, const engine::CycleResult& result);

    /// Returns the holdings that the given numbers of the refusal were computed from. The reference
    /// is valid until the next call.
    /// *Cost*: proportional to the decisions between the previously requested refusal and this one.
    /// If this refusal came earlier in the cycle, proportional to all decisions before it.
    Holdings& at(std::size_t refused, Of numbers);

  private:
    /// Says if the targets of this cycle's preemptions still hold their quota.
    enum class Targets : std::uint8_t { Present, Gone };
    /// A point in the cycle that advances turn by turn.
    struct Moment {
        Holdings holdings;
        std::size_t refused = 0;  // turns that are counted
        std::uint32_t admitted = 0;
        Targets targets = Targets::Present;
    };
    Moment make_moment(Targets targets) const;
    void advance(Moment& moment, std::size_t refused) const;
    void count_admission(Moment& moment) const;
    void count_refusal(Moment& moment) const;
    void bring_back_own_targets();

    const engine::State& state_;
    const engine::CycleResult& result_;
    Moment before_;   // before any turn
    Moment in_turn_;  // with every holder, targets of preemptions included
    Moment with_targets_gone_;
    std::vector<engine::WorkloadIndex> own_targets_;  // absent for the refusal requested last
};

}  // namespace sluice::workload
