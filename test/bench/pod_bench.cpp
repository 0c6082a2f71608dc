// Measures what pods outside quota cost among the nodes of a flavor: a change, and memory.
#include "api/meta/codec.hpp"
#include "bench/allocations.hpp"
#include "engine/engine.hpp"
#include "engine/state/state.hpp"
#include "workload/translation/translator.hpp"

#include <fmt/format.h>

#include <benchmark/benchmark.h>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::bench {
namespace {

using engine::State;

constexpr engine::Time kNow{std::chrono::seconds(1'700'000'000)};
constexpr int kNodes = 10'000;

/// Ten thousand nodes of a flavor that has a topology of racks and hosts, or that enforces
/// capacity.
class Cluster {
  public:
    explicit Cluster(bool has_topology) {
        if (has_topology) {
            add<api::Topology>(
                R"({"metadata":{"name":"racks"},"spec":{"levels":[{"nodeLabel":"rack"},)"
                R"({"nodeLabel":"kubernetes.io/hostname"}]}})"
            );
        }
        add<api::ResourceFlavor>(fmt::format(
            R"({{"metadata":{{"name":"f","annotations":{{{}}}}},"spec":{{"nodeLabels":)"
            R"({{"pool":"a"}}{}}}}})",
            has_topology ? "" : R"("sluice.dev/capacity":"Enforce")",
            has_topology ? R"(,"topologyName":"racks")" : ""
        ));
        for (int i = 0; i < kNodes; ++i) {
            add<api::Node>(fmt::format(
                R"({{"metadata":{{"name":"node-{0:05}","labels":{{"pool":"a","rack":"rack-{1}",)"
                R"("kubernetes.io/hostname":"node-{0:05}"}}}},"status":{{"allocatable":{{)"
                R"("cpu":"96","memory":"1Ti","nvidia.com/gpu":"8","pods":"110"}},"conditions":[)"
                R"({{"type":"Ready","status":"True"}}]}}}})",
                i,
                i / 32
            ));
        }
    }

    template <class T>
    void add(const std::string& json) {
        apply(translator_.set(*api::decode<T>(json)));
    }
    /// A pod of a DaemonSet.
    void add_pod(int number, int generation = 0) {
        add<api::Pod>(fmt::format(
            R"({{"metadata":{{"namespace":"kube-system","name":"node-agent-{0}-{2}"}},"spec":)"
            R"({{"nodeName":"node-{1:05}","containers":[{{"name":"c","resources":{{"requests":)"
            R"({{"cpu":"100m","memory":"128Mi"}}}}}}]}},"status":{{"phase":"Running"}}}})",
            number,
            number % kNodes,
            generation
        ));
    }
    void remove_pod(int number, int generation = 0) {
        apply(translator_.remove_pod(
            "kube-system", fmt::format("node-agent-{}-{}", number, generation)
        ));
    }
    void refresh() { engine::refresh(state_); }

  private:
    void apply(const workload::Translator::Events& events) {
        for (const auto& event : events) {
            engine::apply(state_, event, kNow);
        }
    }

    workload::Translator translator_{workload::TranslationSettings{}};
    State state_{engine::Options{}};
};

/// One of 100,000 pods outside quota is replaced by another on its node. Two changes; parsing the
/// pod is part of them.
void BM_ReplacePod(benchmark::State& bench) {
    Cluster cluster(bench.range(0) != 0);
    for (int i = 0; i < 100'000; ++i) {
        cluster.add_pod(i);
    }
    cluster.refresh();
    int generation = 0;
    for (auto _ : bench) {
        cluster.remove_pod(77, generation);
        cluster.add_pod(77, ++generation);
        cluster.refresh();
    }
}
BENCHMARK(BM_ReplacePod)->ArgName("topology")->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

/// The memory that a pod outside quota takes beyond its stored object.
void BM_MemoryOfPods(benchmark::State& bench) {
    constexpr int kPods = 100'000;
    double bytes = 0;
    for (auto _ : bench) {
        Cluster cluster(bench.range(0) != 0);
        cluster.refresh();
        const auto before = live_bytes();
        for (int i = 0; i < kPods; ++i) {
            cluster.add_pod(i);
        }
        cluster.refresh();
        bytes = static_cast<double>(live_bytes() - before);
    }
    bench.counters["bytes/pod"] = bytes / kPods;
}
BENCHMARK(BM_MemoryOfPods)
    ->ArgName("topology")
    ->Arg(0)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

}  // namespace
}  // namespace sluice::bench
