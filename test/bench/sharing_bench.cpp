// What fair sharing costs.
#include "bench/bench_cluster.hpp"

#include <benchmark/benchmark.h>

namespace sluice::bench {
namespace {

using namespace engine;

/// A cycle with a head in each of 1,000 ClusterQueues of one tree, all of which fit or none.
void run_fair_cycles(benchmark::State& bench, bool all_fit) {
    const auto queues = bench.range(0);
    const auto depth = bench.range(1);
    const Shape shape{
        .queues = queues,
        .queues_per_cohort = depth == 1 ? queues : 10,
        .depth = depth,
        .one_root = true,
        .cpu = 10,
        .preemption = {.reclaim_within_cohort = PreemptionPolicy::Any},
    };
    Options options;
    options.fair_sharing = true;
    for (auto _ : bench) {
        bench.PauseTiming();
        auto state = make_cluster(shape, options);
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
BENCHMARK(BM_FairCycleThatAdmits)
    ->Args({100, 1})
    ->Args({1'000, 1})
    ->Args({10'000, 1})
    ->Args({1'000, 4})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_FairCycleThatRefuses)
    ->Args({100, 1})
    ->Args({1'000, 1})
    ->Args({1'000, 4})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sluice::bench
