// Decides if evictions could have made room for a workload that lost its room during a cycle.
#pragma once

#include "engine/quota/usage_view.hpp"
#include "engine/state/state.hpp"
#include "engine/types/decision.hpp"

#include <cstddef>
#include <cstdint>
#include <set>

namespace sluice::workload {

/// Decides if evictions could have made room for a workload that lost its room in its turn of a
/// cycle. The cycle did not search for victims, because the workload had room before.
///
/// *Lifetime*: keeps references to both arguments; valid until the state's next event.
class EvictionProspects {
  public:
    EvictionProspects(const engine::State& state, const engine::CycleResult& result)
        : state_(state), result_(result), view_(state.tree()) {}

    /// Returns true if evicting every workload that the policies allow, in addition to those
    /// already being evicted, frees `wanted`.
    /// *Cost*: one search of the engine. The first call also copies usage; each call
    /// replays the decisions between the previously requested refusal and this one.
    bool has_victims(std::size_t refused, engine::FlavorResourceIndex pair, engine::Amount wanted);

  private:
    void start();
    void advance(std::size_t refused);
    /// Returns false if the holder was released before.
    bool release(engine::WorkloadIndex holder);

    const engine::State& state_;
    const engine::CycleResult& result_;
    bool is_started_ = false;
    engine::UsageView view_;                // as of that turn
    std::set<engine::WorkloadIndex> gone_;  // workloads of the state that the tree does not count
    std::size_t refused_ = 0;
    std::uint32_t admitted_ = 0;
};

}  // namespace sluice::workload
