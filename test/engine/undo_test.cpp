#include "base/prng.hpp"
#include "engine/audited.hpp"
#include "engine/engine.hpp"
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
    WhatIfs(const engine::State& state, engine::QuotaTree& tree, Prng& prng)
        : state_(state), tree_(tree), prng_(prng) {
        for (const auto& [name, index] : tree.cluster_queues_by_name()) {
            queues_.push_back(index);
        }
    }

    void try_some(int depth) {
        const auto mark = tree_.mark();
        for (std::uint64_t i = prng_.below(4); i > 0; --i) {
            change();
            if (depth > 0 && prng_.chance(50)) {
                try_some(depth - 1);
            }
        }
        tree_.rollback(mark);
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
            tree_.assume_no_usage(queue, state_.workload(holder).holding->usages);
            return;
        }
        engine::Usages usages;
        for (const auto& cell : tree_.node(queue).cells) {
            if (cell.declarations == 0) {
                continue;  // left by what a workload held; nothing is ever assumed there
            }
            const bool huge = prng_.chance(10);
            const std::int64_t amount =
                huge ? std::numeric_limits<std::int64_t>::max() - 1 : prng_.between(-3, 9);
            engine::add_to(usages, cell.flavor_resource, engine::Amount(amount));
        }
        if (prng_.chance(70)) {
            tree_.assume_usage(queue, usages);
        } else {
            tree_.assume_no_usage(queue, usages);
        }
    }

    const engine::State& state_;
    engine::QuotaTree& tree_;
    Prng& prng_;
    std::vector<engine::NodeIndex> queues_;
};

}  // namespace

TEST_CASE("undo restores the quota tree bit for bit", "[engine][undo]") {
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
            engine::QuotaTree tree = state.tree();
            if (tree.is_stale() || !prng.chance(30)) {
                continue;
            }
            const engine::QuotaTree before = tree;
            INFO("seed " << seed);
            WhatIfs(state, tree, prng).try_some(3);
            REQUIRE(find_difference(before, tree, true).value_or("") == "");
            ++tried;
        }
    }
    CHECK(tried > 500);
}

}  // namespace sluice::reference
