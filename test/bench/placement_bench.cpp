// Measures the placement of a podSet in a topology.

#include "engine/topology/domain_tree.hpp"
#include "engine/topology/leaf_capacity.hpp"
#include "engine/topology/placement.hpp"

#include <benchmark/benchmark.h>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sluice::bench {
namespace {

using engine::DomainPath;
using engine::DomainTree;
using engine::LeafRoom;
using engine::PlacementRequest;

constexpr std::int64_t kHostsOfRack = 32;
constexpr std::int64_t kRacksOfBlock = 60;

/// Blocks of 60 racks with 32 hosts each, some of them in use.
struct Cluster {
    DomainTree tree;
    std::vector<LeafRoom> rooms;

    explicit Cluster(std::int64_t hosts) : tree(make_tree(hosts)) {
        for (std::size_t i = 0; i < tree.leaves().size(); ++i) {
            const std::int64_t pods = i % 7 == 0 ? 0 : 1;
            rooms.push_back({.pods = pods, .pods_beside_leader = pods});
        }
    }

    static DomainTree make_tree(std::int64_t hosts) {
        std::vector<DomainPath> paths;
        for (std::int64_t i = 0; i < hosts; ++i) {
            const std::int64_t rack = i / kHostsOfRack;
            paths.push_back(
                {"block-" + std::to_string(rack / kRacksOfBlock),
                 "rack-" + std::to_string(rack),
                 "host-" + std::to_string(i)}
            );
        }
        return {3, std::move(paths)};
    }
};

/// Places the request again and again, among as many hosts as the benchmark's argument says.
void run(benchmark::State& bench, const PlacementRequest& request) {
    const Cluster cluster(bench.range(0));
    for (auto _ : bench) {
        const auto placement = engine::place(cluster.tree, request, cluster.rooms);
        if (!placement.fits()) {
            bench.SkipWithError("the pods do not fit");
            break;
        }
    }
}

/// A gang of 2,000 pods of a host each, which prefers one rack.
void BM_PlaceGang(benchmark::State& bench) {
    PlacementRequest request;
    request.count = 2000;
    request.level = 1;
    request.slices.level = 2;
    run(bench, request);
}
BENCHMARK(BM_PlaceGang)->Arg(15'360)->Arg(100'000)->Unit(benchmark::kMicrosecond);

/// A gang of 16 pods that requires one rack.
void BM_PlaceInRack(benchmark::State& bench) {
    PlacementRequest request;
    request.count = 16;
    request.level = 1;
    request.is_required = true;
    request.slices.level = 2;
    run(bench, request);
}
BENCHMARK(BM_PlaceInRack)->Arg(15'360)->Arg(100'000)->Unit(benchmark::kMicrosecond);

/// One pod anywhere: every host is compared.
void BM_PlaceAnywhere(benchmark::State& bench) {
    PlacementRequest request;
    request.count = 1;
    request.level = 2;
    request.is_unconstrained = true;
    request.least_room_first = true;
    request.slices.level = 2;
    run(bench, request);
}
BENCHMARK(BM_PlaceAnywhere)->Arg(15'360)->Arg(100'000)->Unit(benchmark::kMicrosecond);

/// The pods of 4 resources that fit on each host.
void BM_CountRooms(benchmark::State& bench) {
    const auto hosts = static_cast<std::size_t>(bench.range(0));
    const auto resource = [](std::uint32_t index, std::int64_t amount) {
        return engine::Request{
            .resource = engine::ResourceIndex{index}, .amount = engine::Amount(amount)
        };
    };
    const std::vector node{
        resource(0, 192'000), resource(1, 2LL << 40), resource(2, 8), resource(3, 110)
    };
    const std::vector pod{
        resource(0, 20'000), resource(1, 200LL << 30), resource(2, 1), resource(3, 1)
    };
    engine::LeafCapacity capacity(hosts);
    for (std::size_t i = 0; i < hosts; ++i) {
        capacity.add(i, node);
        capacity.take(i, pod, static_cast<std::int64_t>(i % 9));
    }
    for (auto _ : bench) {
        const auto rooms = engine::count_rooms(capacity, {.pod = pod, .leader = {}, .allowed = {}});
        benchmark::DoNotOptimize(rooms.leaves.data());
    }
}
BENCHMARK(BM_CountRooms)->Arg(15'360)->Arg(100'000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace sluice::bench
