// What a cycle costs.
#include "bench/allocations.hpp"
#include "bench/bench_cluster.hpp"

#include <benchmark/benchmark.h>
#include <vector>

namespace sluice::bench {
namespace {

using namespace engine;

void BM_CycleWithoutChange(benchmark::State& bench) {
    const auto queues = bench.range(0);
    const auto state = make_cluster({.queues = queues, .cpu = 10});
    for (std::int64_t i = 0; i < queues * 10; ++i) {
        const auto queue = numbered("q", i % queues);
        apply(*state, WorkloadChanged{make_holder(queue, numbered("w", i), 1)}, kNow);
    }
    run_cycle(*state, kNow);
    const auto before = allocation_count();
    for (auto _ : bench) {
        benchmark::DoNotOptimize(run_cycle(*state, kNow));
    }
    bench.counters["allocations"] = benchmark::Counter(
        static_cast<double>(allocation_count() - before), benchmark::Counter::kAvgIterations
    );
}
BENCHMARK(BM_CycleWithoutChange)
    ->RangeMultiplier(10)
    ->Range(100, 10'000)
    ->Unit(benchmark::kMicrosecond);

/// One cycle over `range(0)` heads that all fit, below `range(1)` cohorts.
void BM_AdmitHeads(benchmark::State& bench) {
    const auto queues = bench.range(0);
    std::int64_t round = 0;
    const auto state =
        make_cluster({.queues = queues, .depth = bench.range(1), .cpu = 1'000'000'000});
    std::uint64_t made = 0;
    for (auto _ : bench) {
        bench.PauseTiming();
        for (std::int64_t i = 0; i < queues; ++i) {
            const auto name = numbered("w", round * queues + i);
            apply(*state, WorkloadChanged{make_workload(numbered("q", i), name, 1)}, kNow);
        }
        ++round;
        const auto before = allocation_count();
        bench.ResumeTiming();
        benchmark::DoNotOptimize(run_cycle(*state, kNow));
        bench.PauseTiming();
        made += allocation_count() - before;
        bench.ResumeTiming();
    }
    const auto admissions = static_cast<double>(bench.iterations() * queues);
    bench.SetItemsProcessed(bench.iterations() * queues);
    bench.counters["allocations/admission"] = static_cast<double>(made) / admissions;
}
BENCHMARK(BM_AdmitHeads)
    ->Args({100, 1})
    ->Args({1'000, 1})
    ->Args({10'000, 1})
    ->Args({1'000, 2})
    ->Args({1'000, 4})
    ->Args({1'000, 8})
    ->Args({1'000, 16})
    ->Unit(benchmark::kMillisecond);

/// A cycle of one head that fits, in a ClusterQueue with `range` holders.
void BM_AdmitAmongHolders(benchmark::State& bench) {
    const auto holders = bench.range(0);
    const auto state = make_cluster({.queues = 10, .cpu = holders + 1});
    for (std::int64_t i = 0; i < holders; ++i) {
        apply(*state, WorkloadChanged{make_holder("q0", numbered("h", i), 1)}, kNow);
    }
    for (auto _ : bench) {
        apply(*state, WorkloadChanged{make_workload("q0", "w", 1)}, kNow);
        const CycleResult result = run_cycle(*state, kNow);
        if (result.admitted.size() != 1) {
            bench.SkipWithError("it was not admitted");
            break;
        }
        apply(*state, WorkloadDeleted{.ns = "ns", .name = "w"}, kNow);
    }
}
BENCHMARK(BM_AdmitAmongHolders)
    ->RangeMultiplier(10)
    ->Range(10, 100'000)
    ->Unit(benchmark::kMicrosecond);

/// Everything pending is admitted and completes, cycle by cycle.
void BM_Drain(benchmark::State& bench) {
    const auto queues = bench.range(0);
    const auto workloads = bench.range(1);
    for (auto _ : bench) {
        bench.PauseTiming();
        auto state = make_cluster({.queues = queues, .cpu = 1});
        for (std::int64_t i = 0; i < workloads; ++i) {
            const auto queue = numbered("q", i % queues);
            apply(*state, WorkloadChanged{make_workload(queue, numbered("w", i), 1)}, kNow);
        }
        bench.ResumeTiming();
        std::int64_t admitted = 0;
        while (state->has_heads()) {
            const CycleResult result = run_cycle(*state, kNow);
            admitted += static_cast<std::int64_t>(result.admitted.size());
            std::vector<std::string> names;
            for (const auto& decision : result.admitted) {
                names.emplace_back(state->workload_key(decision.workload).substr(3));
            }
            for (const auto& name : names) {
                apply(*state, AdmissionWritten{.ns = "ns", .name = name}, kNow);
                apply(*state, WorkloadDeleted{.ns = "ns", .name = name}, kNow);
            }
        }
        bench.PauseTiming();
        if (admitted != workloads) {
            bench.SkipWithError("not all were admitted");
        }
        state.reset();
        bench.ResumeTiming();
    }
    bench.SetItemsProcessed(bench.iterations() * workloads);
}
BENCHMARK(BM_Drain)
    ->Args({100, 100'000})
    ->Args({10'000, 1'000'000})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

/// 100 heads that are tried on every flavor; each flavor of each ClusterQueue is held by one
/// workload that uses it up.
void run_on_full_flavors(
    benchmark::State& bench, std::int64_t asked, std::int64_t priority, const Preemption& preemption
) {
    constexpr std::int64_t kQueues = 100;
    const auto flavors = bench.range(0);
    auto state =
        make_cluster({.queues = kQueues, .flavors = flavors, .cpu = 4, .preemption = preemption});
    for (std::int64_t i = 0; i < kQueues; ++i) {
        const auto queue = numbered("q", i);
        for (std::int64_t f = 0; f < flavors; ++f) {
            auto holder = make_holder(queue, numbered("h", i * flavors + f), 4);
            holder.reservation->pod_sets[0].resources[0].flavor = numbered("f", f);
            apply(*state, WorkloadChanged{holder}, kNow);
        }
    }
    const auto submit = [&](std::int64_t generation) {
        for (std::int64_t i = 0; i < kQueues; ++i) {
            auto made = make_workload(numbered("q", i), numbered("w", i), asked);
            made.priority = priority;
            made.generation = generation;
            apply(*state, WorkloadChanged{made}, kNow);
        }
    };
    submit(1);
    for (auto _ : bench) {
        const CycleResult result = run_cycle(*state, kNow);
        bench.PauseTiming();
        if (result.refused.size() != kQueues) {
            bench.SkipWithError("not all were refused");
            break;
        }
        for (const auto& decision : result.preempted) {
            const std::string key(state->workload_key(decision.victim).substr(3));
            apply(*state, PreemptionFailed{.ns = "ns", .name = key}, kNow);
        }
        submit(static_cast<std::int64_t>(state->cycle()) + 1);
        bench.ResumeTiming();
    }
    bench.SetComplexityN(flavors);
}

/// Within what the cohort could give, above what is left in it, and no workload may be evicted.
void BM_TryFlavors(benchmark::State& bench) {
    run_on_full_flavors(bench, 35, 0, {});
}
BENCHMARK(BM_TryFlavors)->RangeMultiplier(2)->Range(1, 256)->Unit(benchmark::kMillisecond);

/// Each flavor has a victim of lower priority, so that the first one is taken.
void BM_TryFlavorsWithVictims(benchmark::State& bench) {
    run_on_full_flavors(bench, 4, 5, {.within_cluster_queue = PreemptionPolicy::LowerPriority});
}
BENCHMARK(BM_TryFlavorsWithVictims)->Arg(1)->Arg(8)->Arg(64)->Unit(benchmark::kMillisecond);

/// Each flavor is searched for victims in vain.
void BM_TryFlavorsInVain(benchmark::State& bench) {
    run_on_full_flavors(
        bench,
        8,
        0,
        {.within_cluster_queue = PreemptionPolicy::LowerPriority,
         .reclaim_within_cohort = PreemptionPolicy::LowerPriority,
         .borrow_within_cohort = true}
    );
}
BENCHMARK(BM_TryFlavorsInVain)->Arg(1)->Arg(8)->Arg(64)->Unit(benchmark::kMillisecond);

/// One victim is chosen among `range` candidates of the same ClusterQueue.
void BM_PreemptOne(benchmark::State& bench) {
    const auto candidates = bench.range(0);
    auto state = make_cluster(
        {.queues = 1,
         .queues_per_cohort = 0,
         .cpu = candidates,
         .preemption = {.within_cluster_queue = PreemptionPolicy::LowerPriority}}
    );
    for (std::int64_t i = 0; i < candidates; ++i) {
        apply(*state, WorkloadChanged{make_holder("q0", numbered("h", i), 1)}, kNow);
    }
    std::int64_t round = 0;
    for (auto _ : bench) {
        bench.PauseTiming();
        auto preemptor = make_workload("q0", numbered("w", round++), 1);
        preemptor.priority = 10;
        apply(*state, WorkloadChanged{preemptor}, kNow);
        bench.ResumeTiming();
        const CycleResult result = run_cycle(*state, kNow);
        bench.PauseTiming();
        if (result.preempted.size() != 1) {
            bench.SkipWithError("not one victim");
            break;
        }
        const std::string key(state->workload_key(result.preempted.front().victim).substr(3));
        apply(*state, PreemptionFailed{.ns = "ns", .name = key}, kNow);
        apply(*state, WorkloadDeleted{.ns = "ns", .name = preemptor.name}, kNow);
        bench.ResumeTiming();
    }
    bench.SetComplexityN(candidates);
}
BENCHMARK(BM_PreemptOne)->RangeMultiplier(10)->Range(100, 10'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sluice::bench
