// Measures cycles whose heads get places in a topology, and what a change of a node costs.
#include "bench/allocations.hpp"
#include "bench/bench_cluster.hpp"
#include "engine/topology/flavor_topology.hpp"

#include <benchmark/benchmark.h>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sluice::bench {
namespace {

using namespace engine;

constexpr std::int64_t kHostsOfRack = 32;
constexpr std::int64_t kRacksOfBlock = 60;
constexpr std::uint32_t kPrefersRack = 1;
constexpr std::uint32_t kInRack = 2;

Node make_node(std::int64_t number) {
    const std::int64_t rack = number / kHostsOfRack;
    return {
        .name = numbered("host-", number),
        .places =
            {{.flavor = "f0",
              .path =
                  {numbered("block-", rack / kRacksOfBlock),
                   numbered("rack-", rack),
                   numbered("host-", number)}}},
        .capacity =
            {{.resource = "cpu", .amount = Amount(96'000)},
             {.resource = "gpu", .amount = Amount(8)},
             {.resource = "memory", .amount = Amount(1LL << 40)},
             {.resource = "pods", .amount = Amount(110)}},
    };
}

/// Hosts in blocks and racks, and 30 ClusterQueues in one cohort with quota for all of them.
std::unique_ptr<State> make_racks(std::int64_t hosts) {
    auto state = std::make_unique<State>(Options{});
    apply(
        *state,
        FlavorChanged{
            {.name = "f0", .topology = "t", .levels = {"block", "rack", std::string(kHostnameLevel)}
            }
        },
        kNow
    );
    apply(
        *state,
        PodShapeChanged{
            {.id = kPrefersRack,
             .topology = TopologyRequest{.preferred = "rack"},
             .resources = {"gpu"}}
        },
        kNow
    );
    apply(
        *state,
        PodShapeChanged{
            {.id = kInRack, .topology = TopologyRequest{.required = "rack"}, .resources = {"gpu"}}
        },
        kNow
    );
    for (std::int64_t i = 0; i < hosts; ++i) {
        apply(*state, NodeChanged{make_node(i)}, kNow);
    }
    for (std::int64_t i = 0; i < 30; ++i) {
        ClusterQueue queue;
        queue.name = numbered("q", i);
        queue.cohort = "all";
        queue.resource_groups = {
            {.covered_resources = {"gpu"},
             .flavors = {{.flavor = "f0", .quotas = {{.nominal = Amount(8 * hosts)}}}}}
        };
        apply(*state, ClusterQueueChanged{queue}, kNow);
        apply(
            *state,
            LocalQueueChanged{{.ns = "ns", .name = queue.name, .cluster_queue = queue.name}},
            kNow
        );
    }
    refresh(*state);
    return state;
}

Workload make_gang(
    const std::string& queue, std::string name, std::int32_t pods, std::uint32_t shape
) {
    Workload made = make_workload(queue, name, 0);
    made.pod_sets = {
        {.name = "main",
         .count = pods,
         .requests = {{.resource = "gpu", .amount = Amount(8)}},
         .shape = shape}
    };
    return made;
}

/// A cycle of 30 heads: a gang of 2,000 pods of a host each, which prefers one rack, and 29 gangs
/// of 8 that require one. Each cycle sees the nodes as the first one does.
void BM_PlaceHeads(benchmark::State& bench) {
    const auto state = make_racks(bench.range(0));
    for (std::int64_t i = 0; i < 30; ++i) {
        const bool is_large = i == 0;
        const auto queue = numbered("q", i);
        apply(
            *state,
            WorkloadChanged{make_gang(
                queue, numbered("w", i), is_large ? 2000 : 8, is_large ? kPrefersRack : kInRack
            )},
            kNow
        );
    }
    for (auto _ : bench) {
        bench.PauseTiming();
        auto fork = std::make_unique<State>(state->fork());
        bench.ResumeTiming();
        const CycleResult result = run_cycle(*fork, kNow);
        bench.PauseTiming();
        if (result.admitted.size() != 30) {
            bench.SkipWithError("not all heads are admitted");
        }
        fork.reset();
        bench.ResumeTiming();
    }
}
BENCHMARK(BM_PlaceHeads)->Arg(15'360)->Arg(100'000)->Unit(benchmark::kMicrosecond);

/// The allocatable of one node changes.
void BM_NodeChanges(benchmark::State& bench) {
    const auto state = make_racks(bench.range(0));
    Node node = make_node(7);
    std::int64_t gpus = 8;
    for (auto _ : bench) {
        gpus = 8 - gpus;
        node.capacity[1].amount = Amount(gpus);
        apply(*state, NodeChanged{node}, kNow);
        refresh(*state);
    }
}
BENCHMARK(BM_NodeChanges)->Arg(15'360)->Arg(100'000)->Unit(benchmark::kMicrosecond);

/// The memory of hosts in a topology, for each of their four resources. Names of hosts count.
void BM_MemoryOfLeaves(benchmark::State& bench) {
    const auto hosts = bench.range(0);
    constexpr double kResources = 4;
    double bytes = 0;
    for (auto _ : bench) {
        const auto before = live_bytes();
        const auto state = make_racks(hosts);
        bytes = static_cast<double>(live_bytes() - before);
    }
    bench.counters["bytes/leaf/resource"] = bytes / static_cast<double>(hosts) / kResources;
}
BENCHMARK(BM_MemoryOfLeaves)->Arg(100'000)->Unit(benchmark::kMillisecond)->Iterations(1);

/// A node leaves its topology, and comes back: it is cordoned.
void BM_NodeLeaves(benchmark::State& bench) {
    const auto state = make_racks(bench.range(0));
    const Node node = make_node(7);
    Node cordoned = node;
    cordoned.places.clear();
    bool is_there = true;
    for (auto _ : bench) {
        is_there = !is_there;
        apply(*state, NodeChanged{is_there ? node : cordoned}, kNow);
        refresh(*state);
    }
}
BENCHMARK(BM_NodeLeaves)->Arg(15'360)->Arg(100'000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace sluice::bench
