// What events cost, and memory.
#include "bench/allocations.hpp"
#include "bench/bench_cluster.hpp"

#include <benchmark/benchmark.h>

namespace sluice::bench {
namespace {

using namespace engine;

void BM_AddPending(benchmark::State& bench) {
    const auto workloads = bench.range(0);
    double bytes = 0;
    for (auto _ : bench) {
        bench.PauseTiming();
        auto state = make_cluster({.queues = 100});
        const auto before = live_bytes();
        bench.ResumeTiming();
        for (std::int64_t i = 0; i < workloads; ++i) {
            const auto queue = numbered("q", i % 100);
            apply(*state, WorkloadChanged{make_workload(queue, numbered("w", i), 1)}, kNow);
        }
        bench.PauseTiming();
        bytes = static_cast<double>(live_bytes() - before);
        state.reset();
        bench.ResumeTiming();
    }
    bench.SetItemsProcessed(bench.iterations() * workloads);
    bench.counters["bytes/workload"] = bytes / static_cast<double>(workloads);
}
BENCHMARK(BM_AddPending)
    ->RangeMultiplier(10)
    ->Range(1'000, 1'000'000)
    ->Unit(benchmark::kMillisecond);

/// The memory of a real pending workload: names of usual length, uids, two requests, a class of so
/// many in each ClusterQueue.
void BM_MemoryOfPending(benchmark::State& bench) {
    constexpr std::int64_t kWorkloads = 100'000;
    double bytes = 0;
    for (auto _ : bench) {
        auto state = make_cluster({.queues = 100});
        for (std::int64_t i = 0; i < 100; ++i) {
            const auto name = numbered("q", i);
            const LocalQueue queue{.ns = "ml-team-a", .name = name, .cluster_queue = name};
            apply(*state, LocalQueueChanged{queue}, kNow);
        }
        const auto before = live_bytes();
        for (std::int64_t i = 0; i < kWorkloads; ++i) {
            auto made = make_workload(
                numbered("q", i % 100), "job-training-run-" + std::to_string(1'000'000 + i), 1
            );
            made.ns = "ml-team-a";
            made.uid = "6f1c1a52-9d3e-4b7f-8a41-" + std::to_string(100'000'000'000 + i);
            made.scheduling_class = static_cast<std::uint64_t>(i / 100 % bench.range(0)) + 1;
            made.pod_sets[0].requests.push_back({.resource = "memory", .amount = Amount(1)});
            apply(*state, WorkloadChanged{made}, kNow);
        }
        bytes = static_cast<double>(live_bytes() - before);
    }
    bench.counters["bytes/workload"] = bytes / static_cast<double>(kWorkloads);
}
BENCHMARK(BM_MemoryOfPending)->Arg(50)->Arg(1'000)->Unit(benchmark::kMillisecond)->Iterations(1);

void BM_QueuesIntoOneCohort(benchmark::State& bench) {
    const auto queues = bench.range(0);
    const Shape shape{.queues = queues, .queues_per_cohort = queues};
    for (auto _ : bench) {
        bench.PauseTiming();
        auto state = std::make_unique<State>(Options{});
        apply(*state, FlavorChanged{{.name = "f0"}}, kNow);
        bench.ResumeTiming();
        for (std::int64_t i = 0; i < queues; ++i) {
            apply(*state, ClusterQueueChanged{make_queue(shape, i)}, kNow);
        }
        run_cycle(*state, kNow);
        bench.PauseTiming();
        state.reset();
        bench.ResumeTiming();
    }
    bench.SetComplexityN(queues);
}
BENCHMARK(BM_QueuesIntoOneCohort)->Arg(300)->Arg(3'000)->Arg(30'000)->Unit(benchmark::kMillisecond);

/// An event that wakes everything that is parked in a cohort of ten queues, in 100 scheduling
/// classes.
void BM_WakeInadmissible(benchmark::State& bench) {
    const auto workloads = bench.range(0);
    const Shape shape{.queues = 10};
    auto state = make_cluster(shape);
    for (std::int64_t i = 0; i < workloads; ++i) {
        auto made = make_workload(numbered("q", i % 10), numbered("w", i), 1'000);
        made.scheduling_class = static_cast<std::uint64_t>(i % 100) + 1;
        apply(*state, WorkloadChanged{made}, kNow);
    }
    auto changed = make_queue(shape, 0);
    std::int64_t quota = 1;
    for (auto _ : bench) {
        bench.PauseTiming();
        while (state->has_heads()) {
            run_cycle(*state, kNow);  // parks a class of each queue
        }
        changed.resource_groups[0].flavors[0].quotas[0].nominal = Amount(++quota % 2);
        bench.ResumeTiming();
        apply(*state, ClusterQueueChanged{changed}, kNow);
    }
}
BENCHMARK(BM_WakeInadmissible)->Arg(5'000)->Arg(50'000)->Unit(benchmark::kMicrosecond);

/// A finish and a new holder, in a cluster of `range(0)` ClusterQueues below `range(1)` cohorts.
void BM_FinishAndHold(benchmark::State& bench) {
    const auto queues = bench.range(0);
    auto state = make_cluster({.queues = queues, .depth = bench.range(1), .cpu = 10});
    for (std::int64_t i = 0; i < queues; ++i) {
        const auto queue = numbered("q", i);
        apply(*state, WorkloadChanged{make_holder(queue, "h" + queue, 1)}, kNow);
    }
    std::int64_t at = 0;
    for (auto _ : bench) {
        const auto queue = numbered("q", at++ % queues);
        apply(*state, WorkloadDeleted{.ns = "ns", .name = "h" + queue}, kNow);
        apply(*state, WorkloadChanged{make_holder(queue, "h" + queue, 1)}, kNow);
    }
}
BENCHMARK(BM_FinishAndHold)
    ->Args({10, 1})
    ->Args({100, 1})
    ->Args({1'000, 1})
    ->Args({10'000, 1})
    ->Args({1'000, 2})
    ->Args({1'000, 4})
    ->Args({1'000, 8})
    ->Args({1'000, 16})
    ->Unit(benchmark::kMicrosecond);

/// The same for ClusterQueues with quota of `range` flavors.
void BM_FinishAmongFlavors(benchmark::State& bench) {
    constexpr std::int64_t kQueues = 100;
    auto state = make_cluster({.queues = kQueues, .flavors = bench.range(0), .cpu = 10});
    for (std::int64_t i = 0; i < kQueues; ++i) {
        const auto queue = numbered("q", i);
        apply(*state, WorkloadChanged{make_holder(queue, "h" + queue, 1)}, kNow);
    }
    std::int64_t at = 0;
    for (auto _ : bench) {
        const auto queue = numbered("q", at++ % kQueues);
        apply(*state, WorkloadDeleted{.ns = "ns", .name = "h" + queue}, kNow);
        apply(*state, WorkloadChanged{make_holder(queue, "h" + queue, 1)}, kNow);
    }
}
BENCHMARK(BM_FinishAmongFlavors)->RangeMultiplier(4)->Range(1, 256)->Unit(benchmark::kMicrosecond);

/// A new quota for one of the `range` flavors of a ClusterQueue.
void BM_ChangeQuota(benchmark::State& bench) {
    const Shape shape{.queues = 100, .flavors = bench.range(0), .cpu = 10};
    auto state = make_cluster(shape);
    std::int64_t at = 0;
    for (auto _ : bench) {
        auto changed = make_queue(shape, at % shape.queues);
        changed.resource_groups[0].flavors[0].quotas[0].nominal = Amount(11 + at++);
        apply(*state, ClusterQueueChanged{changed}, kNow);
    }
}
BENCHMARK(BM_ChangeQuota)->RangeMultiplier(4)->Range(1, 256)->Unit(benchmark::kMicrosecond);

/// A finish and a new holder in one ClusterQueue with `range` holders.
void BM_FinishAmongHolders(benchmark::State& bench) {
    const auto holders = bench.range(0);
    auto state = make_cluster({.queues = 10, .cpu = holders});
    for (std::int64_t i = 0; i < holders; ++i) {
        apply(*state, WorkloadChanged{make_holder("q0", numbered("h", i), 1)}, kNow);
    }
    std::int64_t at = 0;
    for (auto _ : bench) {
        const auto name = numbered("h", at++ % holders);
        apply(*state, WorkloadDeleted{.ns = "ns", .name = name}, kNow);
        apply(*state, WorkloadChanged{make_holder("q0", name, 1)}, kNow);
    }
}
BENCHMARK(BM_FinishAmongHolders)
    ->RangeMultiplier(10)
    ->Range(10, 100'000)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace sluice::bench
