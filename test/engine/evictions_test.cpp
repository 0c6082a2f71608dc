#include "base/prng.hpp"
#include "engine/audited.hpp"
#include "engine/engine.hpp"
#include "engine/preemption/preemption_context.hpp"
#include "engine/random_clusters.hpp"
#include "engine/random_invariants.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace sluice::reference {
namespace {

/// Evictions among what a cycle assumes, and the evictions behind all of it.
class Evictions {
  public:
    Evictions(const engine::State& state, Prng& prng)
        : state_(state), prng_(prng), among_(state.tree()), behind_(state.tree()) {
        for (const auto& [name, index] : state.tree().cluster_queues_by_name()) {
            queues_.push_back(index);
            const auto& holders = state.cluster_queue(index).holders;
            holders_.insert(holders_.end(), holders.begin(), holders.end());
        }
    }

    void play() {
        for (std::uint64_t i = prng_.below(12); i > 0 && !queues_.empty(); --i) {
            if (!holders_.empty() && prng_.chance(50)) {
                const auto at =
                    holders_.begin() + static_cast<std::ptrdiff_t>(prng_.below(holders_.size()));
                victims_.push_back(*at);
                holders_.erase(at);
                among_.remove(engine::held_by(state_, victims_.back()));
            } else {
                assume();
            }
        }
        for (const auto victim : victims_) {
            behind_.remove(engine::held_by(state_, victim));
        }
    }

    bool is_order_relevant() const {
        return among_.is_order_relevant() || behind_.is_order_relevant();
    }
    std::size_t victims() const { return victims_.size(); }
    std::string difference() const { return usage_difference(state_.tree(), among_, behind_); }

  private:
    void assume() {
        const auto queue = queues_[prng_.below(queues_.size())];
        engine::Usages usages;
        for (const auto& cell : state_.tree().node(queue).cells) {
            if (cell.declarations > 0) {
                engine::add_to(usages, cell.flavor_resource, engine::Amount(prng_.between(0, 9)));
            }
        }
        among_.add({.cluster_queue = queue, .usages = usages});
        behind_.add({.cluster_queue = queue, .usages = usages});
    }

    const engine::State& state_;
    Prng& prng_;
    engine::UsageView among_;
    engine::UsageView behind_;
    std::vector<engine::NodeIndex> queues_;
    std::vector<engine::WorkloadIndex> holders_;
    std::vector<engine::WorkloadIndex> victims_;
};

}  // namespace

TEST_CASE(
    "evictions give the same usage among what is assumed as behind it, unless order counts",
    "[engine][evictions]"
) {
    int compared = 0;
    int flagged = 0;
    for (std::uint64_t seed = 1; seed <= 120; ++seed) {
        const Case played = make_case(seed);
        Prng prng(seed);
        engine::State state(played.options);
        View view;
        const engine::Time now(std::chrono::seconds(1'000'000));
        for (const Step& step : played.steps) {
            for (const engine::Event& event : view.events_of(step, now)) {
                engine::apply_audited(state, event, now);
            }
            if (step.kind == Step::Kind::Cycle) {
                engine::run_cycle_audited(state, now);
            }
            if (state.tree().is_stale() || !prng.chance(30)) {
                continue;
            }
            INFO("seed " << seed);
            Evictions evictions(state, prng);
            evictions.play();
            if (evictions.is_order_relevant()) {
                ++flagged;
            } else if (evictions.victims() > 0) {
                REQUIRE(evictions.difference() == "");
                ++compared;
            }
        }
    }
    CHECK(compared > 200);
    CHECK(flagged > 0);
}

}  // namespace sluice::reference
