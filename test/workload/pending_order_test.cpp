// Positions in queues against the queues themselves, sorted anew for each question.
#include "workload/status/pending_order.hpp"

#include "engine/engine.hpp"
#include "engine/random_clusters.hpp"
#include "support/outcome.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace sluice::workload {
namespace {

using engine::LocalQueueIndex;
using engine::NodeIndex;
using engine::State;
using engine::WorkloadIndex;
using reference::Step;

bool is_served_before(const State& state, NodeIndex queue, WorkloadIndex a, WorkloadIndex b) {
    const auto& record = state.cluster_queue(queue);
    const auto& x = state.workload(a);
    const auto& y = state.workload(b);
    if (state.shares_admission_fairly(record)) {
        const double x_usage = state.local_queue(x.local_queue).fair_usage;
        const double y_usage = state.local_queue(y.local_queue).fair_usage;
        if (x_usage != y_usage) {
            return x_usage < y_usage;
        }
    }
    const bool is_any_sticky = record.preemptor.sticky && a != b;
    if (is_any_sticky && (a == record.preemptor.workload || b == record.preemptor.workload)) {
        return a == record.preemptor.workload;
    }
    if (x.priority != y.priority) {
        return x.priority > y.priority;
    }
    return std::tuple(x.queue_order, x.uid(), x.key()) <
           std::tuple(y.queue_order, y.uid(), y.key());
}

std::vector<WorkloadIndex> sort_pending(const State& state, NodeIndex queue) {
    auto pending = state.heap_in_order(queue);
    const auto parked = state.inadmissible_in_order(queue);
    pending.insert(pending.end(), parked.begin(), parked.end());
    std::ranges::sort(pending, [&](WorkloadIndex a, WorkloadIndex b) {
        return is_served_before(state, queue, a, b);
    });
    return pending;
}

struct Seen {
    std::size_t questions = 0;
    std::size_t places = 0;
    std::size_t sticky = 0;
    std::size_t by_usage = 0;
};

bool is_same(const PendingPlace& a, const PendingPlace& b) {
    return a.workload == b.workload && a.in_cluster_queue == b.in_cluster_queue &&
           a.in_local_queue == b.in_local_queue;
}

void check_page(
    const std::vector<PendingPlace>& all,
    const std::vector<PendingPlace>& page,
    const PendingPage& wanted
) {
    const auto begin = std::min(wanted.offset, all.size());
    const auto count = std::min(wanted.limit, all.size() - begin);
    REQUIRE(page.size() == count);
    CHECK(std::equal(
        page.begin(), page.end(), all.begin() + static_cast<std::ptrdiff_t>(begin), is_same
    ));
}

/// A page of each kind: all, none, from within, the end, beyond it.
void check_queue(const State& state, PendingOrder& order, NodeIndex queue, Seen& seen) {
    const auto sorted = sort_pending(state, queue);
    std::vector<PendingPlace> expected;
    std::map<LocalQueueIndex, std::vector<PendingPlace>> of_local_queues;
    for (const auto index : sorted) {
        auto& own = of_local_queues[state.workload(index).local_queue];
        expected.push_back({index, expected.size(), own.size()});
        own.push_back(expected.back());
    }
    const auto& record = state.cluster_queue(queue);
    seen.sticky += record.preemptor.sticky && !sorted.empty() ? 1 : 0;
    seen.by_usage += state.shares_admission_fairly(record) && of_local_queues.size() > 1 ? 1 : 0;
    ++seen.questions;
    seen.places += sorted.size();
    const std::vector<PendingPage> pages = {
        {0, 1'000}, {0, 1}, {1, 1}, {2, 2}, {sorted.size() / 2, 3}, {sorted.size(), 5}, {0, 0}
    };
    for (const PendingPage& page : pages) {
        check_page(expected, order.of_cluster_queue(queue, page), page);
        for (const auto& [local_queue, own] : of_local_queues) {
            check_page(own, order.of_local_queue(local_queue, page), page);
        }
    }
}

void play(std::uint64_t seed, Seen& seen) {
    const reference::Case played = reference::make_case(seed);
    State state(played.options);
    std::optional<PendingOrder> order;
    reference::View view;
    engine::Time now(std::chrono::seconds(1'000'000));
    std::size_t steps = 0;
    for (const Step& step : played.steps) {
        if (step.kind == Step::Kind::Advance) {
            now += engine::Duration(step.number);
        }
        for (const engine::Event& event : view.events_of(step, now)) {
            engine::apply(state, event, now);
        }
        if (step.kind == Step::Kind::Cycle) {
            const engine::CycleResult result = engine::run_cycle(state, now);
            view.take(to_outcome(result, support::names_of(state)), now);
        }
        // The first question comes when much is there already; others after many changes or one.
        ++steps;
        if (steps < seed % 40 || steps % (1 + seed % 3) != 0) {
            continue;
        }
        if (!order) {
            order.emplace(state);
        }
        INFO("seed " << seed << " step " << steps);
        for (const auto& [name, queue] : state.tree().cluster_queues_by_name()) {
            check_queue(state, *order, queue, seen);
        }
    }
}

}  // namespace

TEST_CASE("positions are those of the queues, on random clusters", "[workload][pending]") {
    Seen seen;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        play(seed, seen);
    }
    CHECK(seen.questions > 10'000);
    CHECK(seen.places > 20'000);
    CHECK(seen.sticky > 100);
    CHECK(seen.by_usage > 100);
}

}  // namespace sluice::workload
