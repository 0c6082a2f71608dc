// What must hold of every explanation, on random clusters.
#include "api/meta/quantity.hpp"
#include "engine/engine.hpp"
#include "engine/flavors/workload_slice.hpp"
#include "engine/random_clusters.hpp"
#include "support/outcome.hpp"
#include "workload/explanation/decision_view.hpp"
#include "workload/explanation/explanation.hpp"
#include "workload/pods/amounts.hpp"
#include "workload/walked_view.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sluice::workload {
namespace {

using engine::Amount;
using engine::FlavorRefusal;
using engine::RefusalKind;
using reference::Step;

/// What the node could still have, from what each workload held, by recursion over its ancestors.
Amount available(
    const engine::State& state,
    Holdings& holdings,
    engine::NodeIndex asking,
    engine::NodeIndex node,
    engine::FlavorResourceIndex pair
) {
    const auto cell = state.tree().cell(node, pair);
    const Amount usage = holdings.subtree(asking, node, pair).usage;
    const engine::NodeIndex parent = state.tree().node(node).parent;
    if (!parent.is_valid()) {
        return cell.subtree - usage;
    }
    Amount from_parent = available(state, holdings, asking, parent, pair);
    if (cell.borrowing_limit) {
        const Amount used_there = max(Amount(), usage - cell.local());
        from_parent =
            min(from_parent, cell.subtree - cell.local() - used_there + *cell.borrowing_limit);
    }
    return max(Amount(), cell.local() - usage) + from_parent;
}

/// Whether what is kept up to date is what a walk over all holders finds.
bool is_as_walked(
    const engine::State& state,
    Holdings& holdings,
    const WalkedView& walked,
    engine::NodeIndex asking,
    engine::FlavorResourceIndex pair
) {
    for (auto node = asking; node.is_valid(); node = state.tree().node(node).parent) {
        const Subtree found = holdings.subtree(asking, node, pair);
        const WalkedSubtree expected = walked.subtree(node, pair);
        const auto largest = holdings.largest(asking, node, pair, 10);
        const auto same = [](const Held& a, const Held& b) {
            return a.workload == b.workload && a.cluster_queue == b.cluster_queue &&
                   a.amount == b.amount && a.is_reserved == b.is_reserved;
        };
        const auto count =
            static_cast<std::ptrdiff_t>(std::min<std::size_t>(10, expected.holders.size()));
        if (found.usage != expected.usage || found.kept_back != expected.kept_back ||
            found.keeper.is_valid() != expected.keeper.is_valid() ||
            !std::equal(
                largest.begin(),
                largest.end(),
                expected.holders.begin(),
                expected.holders.begin() + count,
                same
            )) {
            return false;
        }
    }
    return true;
}

bool is_bounded(const FlavorRefusal& refusal) {
    constexpr std::int64_t kLarge = std::int64_t{1} << 60;
    const auto small = [](Amount amount) {
        return amount.value() < kLarge && amount.value() > -kLarge;
    };
    return small(refusal.wanted()) && small(refusal.capacity) && small(refusal.free);
}

/// Whether it takes the place of a slice that holds more of something.
bool shrinks(const engine::State& state, const engine::AdmissionDecision& decision) {
    const auto slice =
        engine::ReplacedSlice::find(state, decision.workload, decision.cluster_queue, {});
    if (!slice) {
        return false;
    }
    const auto& pod_sets = state.workload(decision.workload).pod_sets;
    return std::ranges::any_of(decision.pod_sets, [&](const engine::AssignedPodSet& pod_set) {
        const std::string& name = pod_sets[pod_set.pod_set].name;
        return std::ranges::any_of(pod_set.flavors, [&](const engine::AssignedFlavor& flavor) {
            return slice->held_of(name, flavor.resource) > flavor.amount.value_or(Amount());
        });
    });
}

/// The first thing about one refused want that should not be.
std::optional<std::string> fault_of(
    const engine::State& state,
    DecisionView& view,
    const engine::CycleResult& result,
    std::size_t refused,
    const FlavorRefusal& refusal,
    DecisionView::Of numbers
) {
    const bool is_excess = refusal.kind == FlavorRefusal::Kind::ExceedsCapacity;
    if ((refusal.kind != FlavorRefusal::Kind::InsufficientUnused && !is_excess) ||
        !is_bounded(refusal)) {
        return std::nullopt;
    }
    if (!is_excess && refusal.free + refusal.needed != refusal.wanted()) {
        return "free and missing are not what is needed";
    }
    if (refusal.free > refusal.capacity || refusal.free < Amount()) {
        return "free above the limit, or below nothing";
    }
    const auto& all = result.refused;
    const bool is_below_nothing = std::any_of(
        all.begin(),
        all.begin() + static_cast<std::ptrdiff_t>(refused),
        [](const engine::RefusalDecision& before) {
            return std::ranges::any_of(before.reserved, [](const engine::Usage& usage) {
                return usage.amount < Amount();
            });
        }
    );
    if (is_below_nothing) {
        return std::nullopt;  // its ClusterQueue does not count like others then
    }
    for (std::size_t i = 0; i < result.refused[refused].admitted_before; ++i) {
        if (shrinks(state, result.admitted[i])) {
            return std::nullopt;  // what it gives back stays in the cohort's account for the cycle
        }
    }
    Holdings& holdings = view.at(refused, numbers);
    const auto pair = state.flavor_resource_of(refusal.flavor, refusal.resource);
    const auto queue = result.refused[refused].cluster_queue;
    if (max(Amount(), available(state, holdings, queue, queue, pair)) != refusal.free) {
        return "what the workloads held does not leave what was free";
    }
    const WalkedView walked(state, result, refused, numbers);
    if (!is_as_walked(state, holdings, walked, queue, pair)) {
        return "what the workloads held is not what a walk finds";
    }
    return std::nullopt;
}

std::optional<std::string> fault_of(const Constraint& constraint) {
    std::optional<api::Quantity> last;
    for (const auto& holder : constraint.holders) {
        if (holder.amount.empty()) {
            continue;
        }
        const auto amount = api::Quantity::parse(holder.amount);
        if (!amount || (last && *amount > *last)) {
            return "holders are not the largest first";
        }
        last = *amount;
    }
    const auto needed = api::Quantity::parse(constraint.needed);
    const auto limit = api::Quantity::parse(constraint.limit);
    // Not absent.
    if (needed && limit && (*needed > *limit) != constraint.remedies.empty()) {
        return "remedies are missing, or there is none";
    }
    if (constraint.holders.size() > 10) {
        return "too many holders";
    }
    return std::nullopt;
}

std::optional<std::string> fault_of_numbers(
    const engine::State& state,
    DecisionView& view,
    const engine::CycleResult& result,
    std::size_t refused
) {
    const engine::RefusalDecision& refusal = result.refused[refused];
    std::vector<FlavorRefusal> all;
    for (const auto* pod_sets : {&refusal.pod_sets, &refusal.fewest_pods}) {
        for (const auto& pod_set : *pod_sets) {
            all.insert(all.end(), pod_set.flavors.begin(), pod_set.flavors.end());
            for (const auto& skipped : pod_set.skipped) {
                all.insert(all.end(), skipped.refusals.begin(), skipped.refusals.end());
            }
        }
    }
    for (const auto& found : all) {
        if (auto fault = fault_of(state, view, result, refused, found, DecisionView::Of::PodSets)) {
            return fault;
        }
    }
    for (const auto& shortage : refusal.shortages) {
        if (auto fault =
                fault_of(state, view, result, refused, shortage, DecisionView::Of::Shortages)) {
            return fault;
        }
    }
    return std::nullopt;
}

std::optional<std::string> fault_of(
    const engine::State& state,
    DecisionView& view,
    Explanations& explanations,
    const engine::CycleResult& result,
    std::size_t refused
) {
    const engine::RefusalDecision& refusal = result.refused[refused];
    if (auto fault = fault_of_numbers(state, view, result, refused)) {
        return fault;
    }
    if (refusal.kind == RefusalKind::NoLongerFits && refusal.shortages.empty()) {
        return "nothing is short, and yet it does not fit";
    }
    const auto constraints = explanations.of(refused);
    if (constraints.empty()) {
        return "nothing stands in its way";
    }
    for (const Constraint& constraint : constraints) {
        if (auto fault = fault_of(constraint)) {
            return fault;
        }
    }
    return std::nullopt;
}

/// Plays the case and checks each refusal; `kinds` counts them.
void check(std::uint64_t seed, std::map<RefusalKind, std::size_t>& kinds) {
    const reference::Case played = reference::make_case(seed);
    engine::State state(played.options);
    reference::View view;
    engine::Time now(std::chrono::seconds(1'000'000));
    for (const Step& step : played.steps) {
        if (step.kind == Step::Kind::Advance) {
            now += engine::Duration(step.number);
        }
        for (const engine::Event& event : view.events_of(step, now)) {
            engine::apply(state, event, now);
        }
        if (step.kind != Step::Kind::Cycle) {
            continue;
        }
        const engine::CycleResult result = engine::run_cycle(state, now);
        const support::Outcome outcome = to_outcome(result, support::names_of(state));
        DecisionView decided(state, result);
        Explanations explanations(state, result);
        for (std::size_t i = 0; i < result.refused.size(); ++i) {
            ++kinds[result.refused[i].kind];
            if (const auto fault = fault_of(state, decided, explanations, result, i)) {
                FAIL(
                    "seed " << seed << ": " << state.workload_key(result.refused[i].workload)
                            << ": " << *fault << '\n'
                            << outcome
                );
            }
        }
        std::vector<std::vector<Constraint>> in_order;
        for (std::size_t i = 0; i < result.refused.size(); ++i) {
            in_order.push_back(explanations.of(i));
        }
        for (std::size_t i = result.refused.size(); i-- > 0;) {
            INFO("seed " << seed);
            CHECK(explanations.of(i) == in_order[i]);
        }
        view.take(outcome, now);
    }
}

}  // namespace

TEST_CASE("explanations are consistent on random clusters", "[workload][explanation]") {
    std::map<RefusalKind, std::size_t> kinds;
    for (std::uint64_t seed = 1; seed <= 800; ++seed) {
        check(seed, kinds);
    }
    for (const RefusalKind kind :
         {RefusalKind::Assignment,
          RefusalKind::PendingPreemption,
          RefusalKind::NoLongerFits,
          RefusalKind::OverlappingTargets}) {
        INFO(support::to_string(kind));
        CHECK(kinds[kind] > 0);
    }
}

}  // namespace sluice::workload
