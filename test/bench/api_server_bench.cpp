// What the core of the embedded API server costs: writes, watches, memory, start.

#include "api/kueue/kueue_names.hpp"
#include "api/schema/crd.hpp"
#include "api/schema/scheme.hpp"
#include "apiserver/api_server.hpp"
#include "apiserver/operations/watch.hpp"
#include "base/assert.hpp"
#include "bench/allocations.hpp"
#include "json/value.hpp"

#include <fmt/format.h>

#include <benchmark/benchmark.h>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::bench {
namespace {

constexpr Time kNow{std::chrono::seconds(1'700'000'000)};
constexpr std::string_view kMaps = "/api/v1/namespaces/default/configmaps";
constexpr std::string_view kWorkloads = "/apis/kueue.x-k8s.io/v1beta2/namespaces/default/workloads";

apiserver::Response send(
    apiserver::ApiServer& server, std::string_view method, std::string_view target, std::string body
) {
    apiserver::Request request = apiserver::make_request(method, target);
    request.content_type = "application/json";
    request.user_agent = "bench";
    request.body = std::move(body);
    return server.handle(std::move(request), kNow);
}

void create(apiserver::ApiServer& server, std::string_view target, std::string body) {
    const auto response = send(server, "POST", target, std::move(body));
    SLUICE_ASSERT(response.status == 201);
}

/// With Kueue's definitions.
std::unique_ptr<apiserver::ApiServer> make_server() {
    auto server = std::make_unique<apiserver::ApiServer>(apiserver::ApiServer::Options{}, kNow);
    for (const api::KindInfo& kind : api::all_kinds()) {
        if (kind.group == api::kKueueGroup) {
            create(
                *server,
                "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                json::print(api::make_crd(kind))
            );
        }
    }
    return server;
}

/// 300 bytes.
std::string config_map(std::int64_t number) {
    std::string body = fmt::format(
        R"({{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"map-{:08}",)"
        R"("labels":{{"app":"bench"}}}},"data":{{"key":")",
        number
    );
    body.append(300 - body.size() - 4, 'x');
    return body + R"("}})" + " ";
}

/// 3 KB: four podSets with a container that has its environment.
std::string workload(std::int64_t number) {
    std::string sets;
    for (int i = 0; i < 4; ++i) {
        std::string environment;
        for (int j = 0; j < 13; ++j) {
            environment += fmt::format(
                R"({}{{"name":"VARIABLE_{}","value":"value-{}"}})", j == 0 ? "" : ",", j, j
            );
        }
        sets += fmt::format(
            R"({}{{"name":"set-{}","count":3,"template":{{"metadata":{{"labels":{{"role":"r{}"}}}},)"
            R"("spec":{{"restartPolicy":"Never","containers":[{{"name":"main","image":)"
            R"("registry.example.com/image:1","env":[{}],"resources":{{"requests":{{"cpu":"1",)"
            R"("memory":"1Gi"}},"limits":{{"memory":"2Gi"}}}}}}]}}}}}})",
            i == 0 ? "" : ",",
            i,
            i,
            environment
        );
    }
    return fmt::format(
        R"({{"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"Workload","metadata":{{"name":"w-{:08}"}},)"
        R"("spec":{{"queueName":"queue","priority":0,"active":true,"podSets":[{}]}}}})",
        number,
        sets
    );
}

using Make = std::string (*)(std::int64_t);

void create_all(benchmark::State& state, std::string_view target, Make make) {
    const auto server = make_server();
    std::int64_t number = 0;
    std::size_t bytes = 0;
    for (auto _ : state) {
        std::string body = make(number++);
        bytes = body.size();
        create(*server, target, std::move(body));
    }
    state.SetItemsProcessed(state.iterations());
    state.counters["bytes"] = static_cast<double>(bytes);
}

void BM_CreateConfigMaps(benchmark::State& state) {
    create_all(state, kMaps, config_map);
}
BENCHMARK(BM_CreateConfigMaps)->Iterations(50'000);

void BM_CreateWorkloads(benchmark::State& state) {
    create_all(state, kWorkloads, workload);
}
BENCHMARK(BM_CreateWorkloads)->Iterations(10'000);

void BM_PatchStatus(benchmark::State& state) {
    const auto server = make_server();
    create(*server, kWorkloads, workload(0));
    const std::string target = std::string(kWorkloads) + "/w-00000000/status";
    std::int64_t number = 0;
    for (auto _ : state) {
        apiserver::Request request = apiserver::make_request("PATCH", target);
        request.content_type = "application/merge-patch+json";
        request.user_agent = "bench";
        request.body = fmt::format(R"({{"status":{{"requeueState":{{"count":{}}}}}}})", ++number);
        SLUICE_ASSERT(server->handle(std::move(request), kNow).status == 200);
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_PatchStatus)->Iterations(10'000);

/// Events of ConfigMaps to one watch; their creation is not counted.
void BM_WatchEvents(benchmark::State& state) {
    constexpr std::int64_t kEvents = 5'000;
    std::int64_t number = 0;
    for (auto _ : state) {
        state.PauseTiming();
        const auto server = make_server();
        const auto response = send(*server, "GET", std::string(kMaps) + "?watch=true", "");
        SLUICE_ASSERT(response.watch != nullptr);
        for (std::int64_t i = 0; i < kEvents; ++i) {
            create(*server, kMaps, config_map(number++));
        }
        state.ResumeTiming();
        for (std::string lines = response.watch->take(); !lines.empty();
             lines = response.watch->take()) {
            benchmark::DoNotOptimize(lines);
        }
    }
    state.SetItemsProcessed(state.iterations() * kEvents);
}
BENCHMARK(BM_WatchEvents)->Iterations(10);

/// Bytes that so many objects take, the log included.
void measure_memory(benchmark::State& state, std::string_view target, Make make) {
    for (auto _ : state) {
        const std::int64_t before = live_bytes();
        const auto server = make_server();
        for (std::int64_t i = 0; i < state.range(0); ++i) {
            create(*server, target, make(i));
        }
        const auto taken = static_cast<double>(live_bytes() - before);
        state.counters["MiB"] = taken / (1 << 20);
        state.counters["each"] = taken / static_cast<double>(state.range(0));
    }
}

void BM_MemoryOfConfigMaps(benchmark::State& state) {
    measure_memory(state, kMaps, config_map);
}
BENCHMARK(BM_MemoryOfConfigMaps)->Arg(100'000)->Iterations(1);

void BM_MemoryOfWorkloads(benchmark::State& state) {
    measure_memory(state, kWorkloads, workload);
}
BENCHMARK(BM_MemoryOfWorkloads)->Arg(20'000)->Iterations(1);

/// A server with Kueue's definitions.
void BM_Start(benchmark::State& state) {
    for (auto _ : state) {
        benchmark::DoNotOptimize(make_server());
    }
}
BENCHMARK(BM_Start)->Unit(benchmark::kMillisecond)->Iterations(20);

}  // namespace
}  // namespace sluice::bench
