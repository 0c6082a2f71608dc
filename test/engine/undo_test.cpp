#include "base/prng.hpp"
#include "engine/audited.hpp"
#include "engine/engine.hpp"
#include "engine/preemption/preemption_context.hpp"
#include "engine/random_clusters.hpp"
#include "engine/random_invariants.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <limits>
#include <vector>

namespace sluice::reference {
namespace {

/// What-ifs, some within others: usage that comes, usage that goes though it was never there, and
/// amounts that are cut off.
class WhatIfs {
  public:
    WhatIfs(const engine::State& state, engine::UsageView& view, Prng& prng)
        : state_(state), view_(view), prng_(prng) {
        for (const auto& [name, index] : state.tree().cluster_queues_by_name()) {
            queues_.push_back(index);
        }
    }

    void try_some(int depth) {
        const engine::UsageView::Trial trial(view_);
        for (std::uint64_t i = prng_.below(4); i > 0; --i) {
            change();
            if (depth > 0 && prng_.chance(50)) {
                try_some(depth - 1);
            }
        }
    }

  private:
    void change() {
        if (queues_.empty()) {
            return;
        }
        const auto queue = queues_[prng_.below(queues_.size())];
        const auto& holders = state_.cluster_queue(queue).holders;
        if (!holders.empty() && prng_.chance(40)) {
            const auto holder = holders[prng_.below(holders.size())];
            view_.remove(engine::held_by(state_, holder));
            return;
        }
        engine::Usages usages;
        for (const auto& cell : view_.cells(queue)) {
            if (cell.declarations == 0) {
                continue;  // left by what a workload held; nothing is ever assumed there
            }
            const bool huge = prng_.chance(10);
            const std::int64_t amount =
                huge ? std::numeric_limits<std::int64_t>::max() - 1 : prng_.between(-3, 9);
            engine::add_to(usages, cell.flavor_resource, engine::Amount(amount));
        }
        if (prng_.chance(70)) {
            view_.add({.cluster_queue = queue, .usages = usages});
        } else {
            view_.remove({.cluster_queue = queue, .usages = usages});
        }
    }

    const engine::State& state_;
    engine::UsageView& view_;
    Prng& prng_;
    std::vector<engine::NodeIndex> queues_;
};

}  // namespace

TEST_CASE("the end of a trial restores usage, and none changes the tree", "[engine][undo]") {
    int tried = 0;
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
            const engine::QuotaTree before = state.tree();
            engine::UsageView changed(state.tree());
            INFO("seed " << seed);
            WhatIfs(state, changed, prng).try_some(3);
            REQUIRE(usage_difference(before, changed, engine::UsageView(before)) == "");
            REQUIRE(changed.version() == engine::UsageView(before).version());
            REQUIRE(find_difference(before, state.tree(), true).value_or("") == "");
            ++tried;
        }
    }
    CHECK(tried > 500);
}

}  // namespace sluice::reference
