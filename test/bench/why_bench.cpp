// Measures an explanation among 10,000 ClusterQueues with 100,000 pending workloads.
#include "api/meta/codec.hpp"
#include "engine/engine.hpp"
#include "engine/state/state.hpp"
#include "insight/explain.hpp"
#include "insight/situation.hpp"
#include "workload/status/pending_order.hpp"
#include "workload/translation/translator.hpp"

#include <fmt/format.h>

#include <benchmark/benchmark.h>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::bench {
namespace {

constexpr engine::Time kNow{std::chrono::seconds(1'700'000'000)};
constexpr int kQueues = 10'000;
constexpr int kQueuesOfCohort = 100;
constexpr int kPendingOfQueue = 10;

/// Ten thousand ClusterQueues in cohorts of 100, each with 8 GPUs that one workload holds, and with
/// ten workloads that are parked.
class Cluster final : public insight::ObjectSource {
  public:
    Cluster() {
        add<api::Namespace>(R"({"metadata":{"name":"ns"}})");
        for (const char* flavor : {"a100", "h100"}) {
            apply(translator_.set(*api::decode<api::ResourceFlavor>(
                fmt::format(R"({{"metadata":{{"name":"{}"}}}})", flavor)
            )));
        }
        for (const auto& [name, value] : {std::pair("high", 100), std::pair("higher", 1000)}) {
            classes_.push_back(std::make_shared<const api::WorkloadPriorityClass>());
            auto made = *classes_.back();
            made.metadata.name = name;
            made.value = value;
            classes_.back() = std::make_shared<const api::WorkloadPriorityClass>(made);
        }
        for (int i = 0; i < kQueues; ++i) {
            add_queue(i);
        }
        engine::apply(state_, engine::TimerFired{}, kNow);
        while (engine::run_cycle(state_, kNow, engine::Recording::Messages).cycle != 0) {
        }
        order_.emplace(state_);
    }

    insight::Surroundings surroundings() {
        return {
            .state = state_,
            .translator = translator_,
            .objects = *this,
            .find_place = [this](engine::WorkloadIndex index) { return order_->find(index); },
            .now = kNow,
        };
    }

    std::shared_ptr<const api::Workload> find_workload(std::string_view ns, std::string_view name)
        const override {
        return find(workloads_, std::string(ns).append(1, '/').append(name));
    }
    std::vector<std::shared_ptr<const api::Workload>> list_workloads(
        std::string_view ns, std::string_view after, std::size_t limit
    ) const override {
        std::vector<std::shared_ptr<const api::Workload>> made;
        for (auto at = workloads_.upper_bound(std::string(after));
             at != workloads_.end() && made.size() < limit && at->first.starts_with(ns);
             ++at) {
            made.push_back(at->second);
        }
        return made;
    }
    std::shared_ptr<const api::LocalQueue> find_local_queue(std::string_view, std::string_view name)
        const override {
        return find(local_queues_, std::string(name));
    }
    std::shared_ptr<const api::ClusterQueue> find_cluster_queue(std::string_view name
    ) const override {
        return find(cluster_queues_, std::string(name));
    }
    std::shared_ptr<const api::Cohort> find_cohort(std::string_view) const override {
        return nullptr;
    }
    std::vector<std::shared_ptr<const api::LocalQueue>> local_queues_of(std::string_view
    ) const override {
        return {local_queues_.begin()->second, local_queues_.rbegin()->second};
    }
    std::vector<std::shared_ptr<const api::WorkloadPriorityClass>> priority_classes(
    ) const override {
        return classes_;
    }

  private:
    template <class T>
    using ByName = std::map<std::string, std::shared_ptr<const T>>;

    template <class T>
    static std::shared_ptr<const T> find(const ByName<T>& objects, const std::string& key) {
        const auto at = objects.find(key);
        return at == objects.end() ? nullptr : at->second;
    }
    template <class T>
    void add(const std::string& json) {
        translator_.set(*api::decode<T>(json));
    }
    void apply(const workload::Translator::Events& events) {
        for (const auto& event : events) {
            engine::apply(state_, event, kNow);
        }
    }
    void add_workload(int queue, const std::string& name, int gpus, int priority) {
        auto made = api::decode<api::Workload>(fmt::format(
            R"({{"metadata":{{"name":"{0}","namespace":"ns","uid":"{0}",)"
            R"("creationTimestamp":"2023-11-14T20:00:00Z"}},"spec":{{"queueName":"lq{1}",)"
            R"("priority":{3},"podSets":[{{"name":"main","count":{2},"template":{{"spec":)"
            R"({{"containers":[{{"name":"c","resources":{{"requests":{{"nvidia.com/gpu":"1"}}}}}}]}})"
            R"(}}}}]}}}})",
            name,
            queue,
            gpus,
            priority
        ));
        apply(translator_.set(*made));
        workloads_["ns/" + name] = std::make_shared<const api::Workload>(*std::move(made));
    }
    void add_queue(int i) {
        auto queue = api::decode<api::ClusterQueue>(fmt::format(
            R"({{"metadata":{{"name":"cq{}"}},"spec":{{"cohortName":"org{}",)"
            R"("namespaceSelector":{{}},"preemption":{{"withinClusterQueue":"LowerPriority",)"
            R"("reclaimWithinCohort":"Any"}},"resourceGroups":[{{"coveredResources":)"
            R"(["nvidia.com/gpu"],"flavors":[{{"name":"a100","resources":[{{"name":)"
            R"("nvidia.com/gpu","nominalQuota":"8"}}]}},{{"name":"h100","resources":[{{"name":)"
            R"("nvidia.com/gpu","nominalQuota":"0"}}]}}]}}]}}}})",
            i,
            i / kQueuesOfCohort
        ));
        apply({engine::ClusterQueueChanged{translator_.cluster_queue(*queue)}});
        auto local = api::decode<api::LocalQueue>(fmt::format(
            R"({{"metadata":{{"name":"lq{0}","namespace":"ns"}},"spec":{{"clusterQueue":"cq{0}"}}}})",
            i
        ));
        apply({engine::LocalQueueChanged{translator_.local_queue(*local, &*queue)}});
        cluster_queues_.emplace(
            fmt::format("cq{}", i), std::make_shared<const api::ClusterQueue>(*std::move(queue))
        );
        local_queues_.emplace(
            fmt::format("lq{}", i), std::make_shared<const api::LocalQueue>(*std::move(local))
        );
        add_workload(i, fmt::format("holder-{}", i), 8, 10);
        for (int pending = 0; pending < kPendingOfQueue; ++pending) {
            add_workload(i, fmt::format("waits-{}-{}", i, pending), 4 + pending % 3, 0);
        }
    }

    workload::Translator translator_{workload::TranslationSettings{}};
    engine::State state_{engine::Options{}};
    std::optional<workload::PendingOrder> order_;
    ByName<api::Workload> workloads_;
    ByName<api::LocalQueue> local_queues_;
    ByName<api::ClusterQueue> cluster_queues_;
    std::vector<std::shared_ptr<const api::WorkloadPriorityClass>> classes_;
};

Cluster& cluster() {
    static Cluster made;
    return made;
}

bool see_all(std::string_view) {
    return true;
}

void BM_TakeSituation(benchmark::State& bench) {
    Cluster& of = cluster();
    for (auto round : bench) {
        benchmark::DoNotOptimize(insight::take_situation(of.surroundings(), "ns", "waits-5000-5"));
    }
}
BENCHMARK(BM_TakeSituation)->Unit(benchmark::kMillisecond);

/// The time of the loop's thread and of the thread that answers, together.
void BM_Why(benchmark::State& bench) {
    Cluster& of = cluster();
    std::size_t remedies = 0;
    for (auto round : bench) {
        auto situation = insight::take_situation(of.surroundings(), "ns", "waits-5000-5");
        const auto made = insight::Draft(*std::move(situation)).finish(see_all);
        remedies = made.remedies.size();
        bench.SetLabel(made.summary);
        benchmark::DoNotOptimize(made);
    }
    bench.counters["remedies"] = static_cast<double>(remedies);
}
BENCHMARK(BM_Why)->Unit(benchmark::kMillisecond);

void BM_ListWhy(benchmark::State& bench) {
    Cluster& of = cluster();
    const auto limit = static_cast<std::size_t>(bench.range(0));
    for (auto round : bench) {
        for (auto& situation :
             insight::take_situations(of.surroundings(), "ns", "ns/waits-5000-0", limit)) {
            benchmark::DoNotOptimize(insight::Draft(std::move(situation)).finish(see_all));
        }
    }
}
BENCHMARK(BM_ListWhy)->Arg(200)->Unit(benchmark::kMillisecond);

void BM_TakeSituations(benchmark::State& bench) {
    Cluster& of = cluster();
    const auto limit = static_cast<std::size_t>(bench.range(0));
    for (auto round : bench) {
        benchmark::DoNotOptimize(
            insight::take_situations(of.surroundings(), "ns", "ns/waits-5000-0", limit)
        );
    }
}
BENCHMARK(BM_TakeSituations)->Arg(200)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sluice::bench
