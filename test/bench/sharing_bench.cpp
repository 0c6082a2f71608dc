// What fair sharing costs.
#include "bench/bench_cluster.hpp"

#include <benchmark/benchmark.h>

namespace sluice::bench {
namespace {

using namespace engine;

/// So many ClusterQueues of 10 cpu each in one tree, so deep, that take back what others borrow.
Shape one_tree(const benchmark::State& bench) {
    const auto queues = bench.range(0);
    const auto depth = bench.range(1);
    return {
        .queues = queues,
        .queues_per_cohort = depth == 1 ? queues : 10,
        .depth = depth,
        .one_root = true,
        .cpu = 10,
        .preemption = {.reclaim_within_cohort = PreemptionPolicy::Any},
    };
}

/// A cycle with a head in each of 1,000 ClusterQueues of one tree, all of which fit or none.
void run_fair_cycles(benchmark::State& bench, bool all_fit) {
    const auto queues = bench.range(0);
    Options options;
    options.fair_sharing = true;
    for (auto _ : bench) {
        bench.PauseTiming();
        auto state = make_cluster(one_tree(bench), options);
        for (std::int64_t i = 0; i < queues; ++i) {
            const auto queue = numbered("q", i);
            apply(*state, WorkloadChanged{make_holder(queue, "h" + queue, all_fit ? 5 : 10)}, kNow);
            apply(*state, WorkloadChanged{make_workload(queue, "w" + queue, 5)}, kNow);
        }
        bench.ResumeTiming();
        const CycleResult result = run_cycle(*state, kNow);
        bench.PauseTiming();
        if (result.admitted.empty() == all_fit) {
            bench.SkipWithError("the cycle did not decide as planned");
        }
        state.reset();
        bench.ResumeTiming();
    }
    bench.SetComplexityN(queues);
}

void BM_FairCycleThatAdmits(benchmark::State& bench) {
    run_fair_cycles(bench, true);
}
void BM_FairCycleThatRefuses(benchmark::State& bench) {
    run_fair_cycles(bench, false);
}

/// A cycle with a head in each of the ClusterQueues of one tree, all of which borrow as much as
/// each other of what the root cohort has, so that no queue may take from another.
void run_cycles_among_borrowers(benchmark::State& bench, bool fair) {
    const auto queues = bench.range(0);
    const auto depth = bench.range(1);
    Options options;
    options.fair_sharing = fair;
    auto state = make_cluster(one_tree(bench), options);
    Cohort root{.name = depth == 1 ? "c0" : "root"};
    root.resource_groups = {
        {.covered_resources = {"cpu"},
         .flavors = {{.flavor = "f0", .quotas = {{.nominal = Amount(5 * queues)}}}}}
    };
    apply(*state, CohortChanged{root}, kNow);
    for (std::int64_t i = 0; i < queues; ++i) {
        const auto queue = numbered("q", i);
        for (const char* holder : {"a", "b", "c"}) {
            apply(*state, WorkloadChanged{make_holder(queue, holder + queue, 5)}, kNow);
        }
    }
    for (auto _ : bench) {
        bench.PauseTiming();
        for (std::int64_t i = 0; i < queues; ++i) {
            const auto queue = numbered("q", i);
            apply(*state, WorkloadChanged{make_workload(queue, "w" + queue, 5)}, kNow);
        }
        bench.ResumeTiming();
        const CycleResult result = run_cycle(*state, kNow);
        bench.PauseTiming();
        if (!result.admitted.empty() || !result.preempted.empty() ||
            result.refused.size() != static_cast<std::size_t>(queues)) {
            bench.SkipWithError("the cycle did not decide as planned");
        }
        for (std::int64_t i = 0; i < queues; ++i) {
            apply(*state, WorkloadDeleted{"ns", "w" + numbered("q", i)}, kNow);
        }
        bench.ResumeTiming();
    }
    bench.SetComplexityN(queues);
}

/// A cycle with a head in each of the ClusterQueues of one tree that is used up; every other one
/// borrows as much again as its quota, and the heads of the rest find a victim there.
void run_cycles_with_victims(benchmark::State& bench, bool fair) {
    const auto queues = bench.range(0);
    const auto depth = bench.range(1);
    Options options;
    options.fair_sharing = fair;
    for (auto _ : bench) {
        bench.PauseTiming();
        auto shape = one_tree(bench);
        shape.cpu = 4;
        auto state = make_cluster(shape, options);
        Cohort root{.name = depth == 1 ? "c0" : "root"};
        root.resource_groups = {
            {.covered_resources = {"cpu"},
             .flavors = {{.flavor = "f0", .quotas = {{.nominal = Amount(queues)}}}}}
        };
        apply(*state, CohortChanged{root}, kNow);
        for (std::int64_t i = 0; i < queues; ++i) {
            const auto queue = numbered("q", i);
            for (std::int64_t h = 0; h < (i % 2 == 0 ? 1 : 4); ++h) {
                apply(
                    *state, WorkloadChanged{make_holder(queue, numbered("h", 4 * i + h), 2)}, kNow
                );
            }
            apply(*state, WorkloadChanged{make_workload(queue, "w" + queue, 2)}, kNow);
        }
        bench.ResumeTiming();
        const CycleResult result = run_cycle(*state, kNow);
        bench.PauseTiming();
        if (result.preempted.size() != static_cast<std::size_t>(queues / 2)) {
            bench.SkipWithError("the cycle did not decide as planned");
        }
        state.reset();
        bench.ResumeTiming();
    }
    bench.SetComplexityN(queues);
}

void BM_FairCycleWithVictims(benchmark::State& bench) {
    run_cycles_with_victims(bench, true);
}
void BM_ClassicalCycleWithVictims(benchmark::State& bench) {
    run_cycles_with_victims(bench, false);
}
BENCHMARK(BM_FairCycleWithVictims)
    ->Args({100, 1})
    ->Args({1'000, 1})
    ->Args({1'000, 4})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_ClassicalCycleWithVictims)
    ->Args({100, 1})
    ->Args({1'000, 1})
    ->Args({1'000, 4})
    ->Unit(benchmark::kMillisecond);

void BM_FairCycleAmongBorrowers(benchmark::State& bench) {
    run_cycles_among_borrowers(bench, true);
}
void BM_ClassicalCycleAmongBorrowers(benchmark::State& bench) {
    run_cycles_among_borrowers(bench, false);
}
BENCHMARK(BM_FairCycleAmongBorrowers)
    ->Args({100, 1})
    ->Args({1'000, 1})
    ->Args({10'000, 1})
    ->Args({1'000, 4})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_ClassicalCycleAmongBorrowers)
    ->Args({100, 1})
    ->Args({1'000, 1})
    ->Args({1'000, 4})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_FairCycleThatAdmits)
    ->Args({100, 1})
    ->Args({1'000, 1})
    ->Args({10'000, 1})
    ->Args({1'000, 4})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_FairCycleThatRefuses)
    ->Args({100, 1})
    ->Args({1'000, 1})
    ->Args({10'000, 1})
    ->Args({1'000, 4})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sluice::bench
