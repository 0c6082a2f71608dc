#pragma once

#include "engine/state/state.hpp"
#include "engine/types/decision.hpp"
#include "workload/explanation/holdings.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sluice::workload {

/// Which workload held what at the moments of a cycle at which it refused workloads. The state
/// itself is as the cycle left it: with admissions that came later in the cycle, and without what
/// counted as free or taken meanwhile.
class DecisionView {
  public:
    /// Of which numbers of the refusal: those of its podSets, or its shortages.
    enum class Of : std::uint8_t { PodSets, Shortages };

    /// *Lifetime*: of both and until the state's next event.
    DecisionView(const engine::State& state, const engine::CycleResult& result);

    /// Which workload held what when these numbers were found. Holds until the next call.
    /// *Cost*: of the decisions between the last refusal asked about and this one; where that came
    /// later in the cycle, of all before this one.
    Holdings& at(std::size_t refused, Of numbers);

  private:
    /// Whether the targets of preemptions of this cycle still hold their quota.
    enum class Targets : std::uint8_t { Present, Gone };
    /// A moment that moves on through the turns of the cycle.
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
    Moment before_;   // any turn
    Moment in_turn_;  // with all that hold something
    Moment with_targets_gone_;
    std::vector<engine::WorkloadIndex> own_targets_;  // gone for the last refusal asked about
};

}  // namespace sluice::workload
