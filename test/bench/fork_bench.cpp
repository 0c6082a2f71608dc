// What a fork of the state costs, and what its presence costs cycles.
#include "bench/allocations.hpp"
#include "bench/bench_cluster.hpp"
#include "engine/state/snapshot.hpp"

#include <benchmark/benchmark.h>
#include <memory>
#include <string>

namespace sluice::bench {
namespace {

using namespace engine;

constexpr std::int64_t kQueues = 100;

/// `workloads` pending ones over 100 ClusterQueues with room for all, each with 50 scheduling
/// classes.
std::unique_ptr<State> make_pending(std::int64_t workloads) {
    auto state = make_cluster({.queues = kQueues, .cpu = 1'000'000'000});
    for (std::int64_t i = 0; i < workloads; ++i) {
        auto made = make_workload(numbered("q", i % kQueues), numbered("w", i), 1);
        made.scheduling_class = static_cast<std::uint64_t>(i / kQueues % 50) + 1;
        apply(*state, WorkloadChanged{made}, kNow);
    }
    return state;
}

void BM_Fork(benchmark::State& bench) {
    const auto state = make_pending(bench.range(0));
    for (auto _ : bench) {
        auto fork = std::make_unique<State>(state->fork());
        benchmark::DoNotOptimize(fork.get());
        bench.PauseTiming();
        fork.reset();
        bench.ResumeTiming();
    }
}
BENCHMARK(BM_Fork)->Arg(1'000)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMicrosecond);

/// 100,000 pending workloads are admitted and end. `range(0)` 1: a fork lives meanwhile.
void BM_DrainBesideFork(benchmark::State& bench) {
    constexpr std::int64_t kWorkloads = 100'000;
    for (auto _ : bench) {
        bench.PauseTiming();
        auto state = make_pending(kWorkloads);
        bench.ResumeTiming();
        std::unique_ptr<State> fork;
        if (bench.range(0) == 1) {
            fork = std::make_unique<State>(state->fork());
        }
        while (state->has_heads()) {
            for (const auto& admitted : run_cycle(*state, kNow).admitted) {
                const std::string key(state->workload_key(admitted.workload));
                apply(*state, WorkloadDeleted{.ns = "ns", .name = key.substr(3)}, kNow);
            }
        }
    }
}
BENCHMARK(BM_DrainBesideFork)->Arg(0)->Arg(1)->Iterations(1)->Unit(benchmark::kMillisecond);

void BM_SaveAndLoad(benchmark::State& bench) {
    const auto state = make_pending(bench.range(0));
    std::size_t bytes = 0;
    for (auto _ : bench) {
        const std::string saved = save(*state);
        bytes = saved.size();
        benchmark::DoNotOptimize(load(saved));
    }
    bench.counters["bytes/workload"] =
        static_cast<double>(bytes) / static_cast<double>(bench.range(0));
}
BENCHMARK(BM_SaveAndLoad)->Arg(100'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sluice::bench
