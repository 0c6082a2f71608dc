#pragma once

#include "engine/state/state.hpp"
#include "engine/types/decision.hpp"

#include <cstddef>
#include <cstdint>
#include <set>

namespace sluice::workload {

/// Whether evictions could have made room for a workload that lost its room in its turn of a cycle.
/// The cycle did not search for victims there, as there was room before.
///
/// *Lifetime*: of both and until the state's next event.
class EvictionProspects {
  public:
    EvictionProspects(const engine::State& state, const engine::CycleResult& result)
        : state_(state), result_(result) {}

    /// Whether all that policies allow to evict, beside those that go anyway, would free enough.
    /// *Cost*: that of the engine's search; of the first call also that of the quota tree, and then
    /// of the decisions between the last refusal asked about and this one.
    bool has_victims(std::size_t refused, engine::FlavorResourceIndex pair, engine::Amount wanted);

  private:
    void start();
    void advance(std::size_t refused);
    /// False: it was gone already.
    bool release(engine::WorkloadIndex holder);

    const engine::State& state_;
    const engine::CycleResult& result_;
    bool is_started_ = false;
    engine::QuotaTree tree_;                // as of that turn
    std::set<engine::WorkloadIndex> gone_;  // holders of the state that do not count in it
    std::size_t refused_ = 0;
    std::uint32_t admitted_ = 0;
};

}  // namespace sluice::workload
