#include "base/prng.hpp"
#include "engine/audited.hpp"
#include "engine/engine.hpp"
#include "engine/random_clusters.hpp"
#include "engine/random_invariants.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace sluice::reference {
namespace {

using engine::FlavorResources;
using engine::NodeIndex;
using engine::QuotaTree;

/// Where two trees of one shape differ in usage, in their present view; "": nowhere.
std::string usage_difference(const QuotaTree& a, const QuotaTree& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
        const auto node = engine::make_index<NodeIndex>(i);
        const auto& x = a.cells(node);
        const auto& y = b.cells(node);
        for (std::size_t cell = 0; cell < x.size(); ++cell) {
            if (x[cell].usage != y.at(cell).usage) {
                return a.node(node).name + ": usage";
            }
            const FlavorResources one = {x[cell].flavor_resource};
            const NodeIndex root = a.node(node).root;
            if (a.above_quota(root, one) != b.above_quota(root, one)) {
                return a.node(node).name + ": above quota";
            }
        }
    }
    return "";
}

/// Evictions among what a cycle assumes, and the same on a tree without that view.
class Evictions {
  public:
    Evictions(const engine::State& state, Prng& prng)
        : state_(state), prng_(prng), tree_(state.tree()), as_it_is_(tree_), after_(tree_) {
        for (const auto& [name, index] : tree_.cluster_queues_by_name()) {
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
                const auto& holding = *state_.workload(victims_.back()).holding;
                tree_.evict(holding.cluster_queue, holding.usages);
            } else {
                assume();
            }
        }
        for (const auto victim : victims_) {
            const auto& holding = *state_.workload(victim).holding;
            after_.assume_no_usage(holding.cluster_queue, holding.usages);
        }
    }

    bool is_order_relevant() const { return tree_.is_order_of_evictions_relevant(); }
    std::size_t victims() const { return victims_.size(); }

    std::string difference_after() {
        tree_.show_evictions(true);
        std::string difference = usage_difference(tree_, after_);
        if (difference.empty()) {
            difference = difference_of_what_if();
        }
        tree_.show_evictions(false);
        return difference;
    }
    std::string difference_as_it_is() const { return usage_difference(tree_, as_it_is_); }
    std::string difference_once_forgotten() {
        tree_.forget_evictions();
        tree_.rollback(start_);
        return find_difference(state_.tree(), tree_, true).value_or("");
    }

  private:
    void assume() {
        const auto queue = queues_[prng_.below(queues_.size())];
        engine::Usages usages;
        for (const auto& cell : tree_.node(queue).cells) {
            if (cell.declarations > 0) {
                engine::add_to(usages, cell.flavor_resource, engine::Amount(prng_.between(0, 9)));
            }
        }
        for (QuotaTree* tree : {&tree_, &as_it_is_, &after_}) {
            tree->assume_usage(queue, usages);
        }
    }

    /// One that was not evicted goes for a while.
    std::string difference_of_what_if() {
        if (holders_.empty()) {
            return "";
        }
        const auto& holding = *state_.workload(holders_[prng_.below(holders_.size())]).holding;
        const auto mark = tree_.mark();
        const auto other_mark = after_.mark();
        tree_.assume_no_usage(holding.cluster_queue, holding.usages);
        after_.assume_no_usage(holding.cluster_queue, holding.usages);
        std::string difference = usage_difference(tree_, after_);
        tree_.rollback(mark);
        after_.rollback(other_mark);
        return difference.empty() ? usage_difference(tree_, after_) : difference + " (what-if)";
    }

    const engine::State& state_;
    Prng& prng_;
    QuotaTree tree_;
    QuotaTree as_it_is_;
    QuotaTree after_;
    QuotaTree::Mark start_ = tree_.mark();
    std::vector<NodeIndex> queues_;
    std::vector<engine::WorkloadIndex> holders_;
    std::vector<engine::WorkloadIndex> victims_;
};

}  // namespace

TEST_CASE(
    "usage after evictions is what is assumed, before and after them, without those evicted",
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
                REQUIRE(evictions.difference_after() == "");
                ++compared;
            }
            REQUIRE(evictions.difference_as_it_is() == "");
            REQUIRE(evictions.difference_once_forgotten() == "");
        }
    }
    CHECK(compared > 200);
    CHECK(flagged > 0);
}

}  // namespace sluice::reference
