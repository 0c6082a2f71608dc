// What the page of metrics costs with few and with very many workloads: to print, and to keep up to
// date when one workload changes.

#include "api/meta/codec.hpp"
#include "base/assert.hpp"
#include "controller/kinds/builtin_kinds.hpp"
#include "controller/kinds/registry.hpp"
#include "controller/process/metrics/metrics_reporter.hpp"
#include "controller/reconcile/stores.hpp"
#include "controller/refresh.hpp"
#include "controller/scheduler/state_feeder.hpp"
#include "engine/state/state.hpp"
#include "workload/translation/translator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <benchmark/benchmark.h>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

namespace sluice::controller {
namespace {

constexpr std::size_t kQueues = 100;

template <class T>
std::shared_ptr<const T> decode(std::string text) {
    std::ranges::replace(text, '\'', '"');
    auto object = api::decode<T>(text);
    SLUICE_ASSERT(object.has_value());
    return std::make_shared<const T>(std::move(*object));
}

std::shared_ptr<const api::Workload> make_workload(std::size_t number, int priority) {
    return decode<api::Workload>(fmt::format(
        R"({{'metadata':{{'namespace':'ns','name':'w{0}','uid':'u{0}',
        'creationTimestamp':'2026-01-01T00:00:00Z'}},'spec':{{'queueName':'q{1}','active':true,
        'priority':{2},'podSets':[{{'name':'main','count':1,'template':{{'spec':{{'containers':[
        {{'name':'c','resources':{{'requests':{{'cpu':'1'}}}}}}]}}}}}}]}}}})",
        number,
        number % kQueues,
        priority
    ));
}

/// A hundred ClusterQueues with a LocalQueue each, and so many pending workloads.
struct Cluster {
    Registry registry = controller::make_registry({}, true);
    Stores stores;
    workload::Translator translator{workload::TranslationSettings{}};
    engine::State state{engine::Options{}};
    SystemClock clock;
    engine::Driver driver{state};
    StateFeeder feeder{registry, stores, translator, driver, clock};
    Time now{std::chrono::hours(24 * 365 * 56)};
    std::unique_ptr<MetricsReporter> reporter;

    explicit Cluster(std::size_t workloads) {
        registry.add_stores(stores);
        stores.of<api::Namespace>().upsert(decode<api::Namespace>("{'metadata':{'name':'ns'}}"));
        stores.of<api::ResourceFlavor>().upsert(
            decode<api::ResourceFlavor>("{'metadata':{'name':'spot'},'spec':{}}")
        );
        for (std::size_t i = 0; i < kQueues; ++i) {
            stores.of<api::ClusterQueue>().upsert(decode<api::ClusterQueue>(fmt::format(
                R"({{'metadata':{{'name':'q{}'}},'spec':{{'cohortName':'c{}','stopPolicy':'None',
                'queueingStrategy':'BestEffortFIFO','namespaceSelector':{{}},'resourceGroups':[{{
                'coveredResources':['cpu'],'flavors':[{{'name':'spot','resources':[
                {{'name':'cpu','nominalQuota':'4'}}]}}]}}]}}}})",
                i,
                i / 10
            )));
            stores.of<api::LocalQueue>().upsert(decode<api::LocalQueue>(fmt::format(
                R"({{'metadata':{{'namespace':'ns','name':'q{0}'}},'spec':{{
                'clusterQueue':'q{0}','stopPolicy':'None'}}}})",
                i
            )));
        }
        for (std::size_t i = 0; i < workloads; ++i) {
            stores.of<api::Workload>().upsert(make_workload(i, 0));
        }
        feeder.feed_all(now);
        reporter = std::make_unique<MetricsReporter>(MetricsReporter::Parts{
            .stores = stores,
            .translator = translator,
            .state = state,
            .cluster_queue_resources = true
        });
        refresh(*reporter);
    }
};

void BM_Scrape(benchmark::State& state) {
    const Cluster cluster(static_cast<std::size_t>(state.range(0)));
    std::size_t bytes = 0;
    for (auto _ : state) {
        bytes = cluster.reporter->print().size();
    }
    state.counters["page_bytes"] = static_cast<double>(bytes);
}

/// Read the CPU column. The elapsed time has 20 ms in which the loop waits; the CPU time has some
/// 0.4 ms in which the loop is made.
void BM_RefreshAfterOneChange(benchmark::State& state) {
    Cluster cluster(static_cast<std::size_t>(state.range(0)));
    int priority = 0;
    for (auto _ : state) {
        state.PauseTiming();
        const auto change =
            cluster.stores.find(kind_of<api::Workload>())->upsert(make_workload(7, ++priority));
        cluster.feeder.changed(change, cluster.now);
        state.ResumeTiming();
        cluster.reporter->changed(change);
        refresh(*cluster.reporter);
    }
}

/// Read the CPU column here too. A scrape would cost this without kept gauges.
void BM_RefreshOfAll(benchmark::State& state) {
    Cluster cluster(static_cast<std::size_t>(state.range(0)));
    for (auto _ : state) {
        cluster.reporter->set_role("standalone");
        refresh(*cluster.reporter);
    }
}

BENCHMARK(BM_Scrape)->Arg(0)->Arg(1'000)->Arg(100'000)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_RefreshAfterOneChange)
    ->Arg(100)
    ->Arg(1'000)
    ->Arg(100'000)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_RefreshOfAll)->Arg(100)->Arg(1'000)->Arg(100'000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace sluice::controller
