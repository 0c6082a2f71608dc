#include "engine/engine.hpp"

#include <benchmark/benchmark.h>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace sluice::engine {
namespace {

constexpr Time kNow{std::chrono::seconds(1'700'000'000)};

std::string numbered(const char* prefix, std::int64_t i) {
    return prefix + std::to_string(i);
}

Workload workload(const std::string& queue, const std::string& name, std::int64_t cpu) {
    return {
        .ns = "ns",
        .name = name,
        .uid = name,
        .local_queue = queue,
        .queue_order = kNow,
        .generation = 1,
        .pod_sets = {{.name = "main", .requests = {{.resource = "cpu", .amount = Amount(cpu)}}}},
    };
}

/// ClusterQueues of `cpu` each, ten to a cohort, with a LocalQueue each.
std::unique_ptr<State> cluster(std::int64_t queues, std::int64_t cpu) {
    auto state = std::make_unique<State>(Options{});
    apply(*state, FlavorChanged{{.name = "default"}}, kNow);
    for (std::int64_t i = 0; i < queues; ++i) {
        const auto name = numbered("q", i);
        apply(
            *state,
            ClusterQueueChanged{{
                .name = name,
                .cohort = numbered("c", i / 10),
                .resource_groups = {{
                    .covered_resources = {"cpu"},
                    .flavors = {{.flavor = "default", .quotas = {{.nominal = Amount(cpu)}}}},
                }},
            }},
            kNow
        );
        apply(*state, LocalQueueChanged{{.ns = "ns", .name = name, .cluster_queue = name}}, kNow);
    }
    return state;
}

void BM_CycleWithoutHeads(benchmark::State& bench) {
    const auto state = cluster(bench.range(0), 100);
    run_cycle(*state, kNow);
    for (auto _ : bench) {
        benchmark::DoNotOptimize(run_cycle(*state, kNow));
    }
}
BENCHMARK(BM_CycleWithoutHeads)->Range(100, 10'000)->Unit(benchmark::kMicrosecond);

void BM_AdmitOneHeadPerQueue(benchmark::State& bench) {
    const auto queues = bench.range(0);
    std::int64_t round = 0;
    const auto state = cluster(queues, 1'000'000'000);
    for (auto _ : bench) {
        bench.PauseTiming();
        for (std::int64_t i = 0; i < queues; ++i) {
            const auto name = numbered("w", round * queues + i);
            apply(*state, WorkloadChanged{workload(numbered("q", i), name, 1)}, kNow);
        }
        ++round;
        bench.ResumeTiming();
        benchmark::DoNotOptimize(run_cycle(*state, kNow));
    }
    bench.SetItemsProcessed(bench.iterations() * queues);
}
BENCHMARK(BM_AdmitOneHeadPerQueue)->Arg(1'000)->Unit(benchmark::kMillisecond);

void BM_AddPending(benchmark::State& bench) {
    for (auto _ : bench) {
        bench.PauseTiming();
        auto state = cluster(100, 1);
        bench.ResumeTiming();
        for (std::int64_t i = 0; i < bench.range(0); ++i) {
            apply(
                *state, WorkloadChanged{workload(numbered("q", i % 100), numbered("w", i), 1)}, kNow
            );
        }
        bench.PauseTiming();
        state.reset();
        bench.ResumeTiming();
    }
    bench.SetItemsProcessed(bench.iterations() * bench.range(0));
}
BENCHMARK(BM_AddPending)->Arg(100'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sluice::engine
