#include "api/meta/codec.hpp"
#include "controller/kinds/builtin_kinds.hpp"
#include "controller/queued_jobs.hpp"
#include "controller/queued_pods.hpp"
#include "controller/serving_samples.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fmt/format.h>

#include <chrono>
#include <string>

// waitForPodsReady of groups whose pods are created one after another.
namespace sluice::controller {
namespace {

using namespace std::chrono_literals;

Settings with_pods_ready() {
    Settings settings;
    settings.wait_for_pods_ready.emplace();
    settings.wait_for_pods_ready->timeout = 10min;
    settings.wait_for_pods_ready->recovery_timeout = 10min;
    return settings;
}

struct OrderedPods {
    OrderedPods() { start_serving(cluster); }

    void pass(Duration time) {
        cluster.clock.advance(time);
        cluster.settle();
    }
    void make_ready(std::string_view pod) {
        cluster.merge(
            pod_key(pod),
            fmt::format(
                "{{'spec':{{'nodeName':'n'}},'status':{{'phase':'Running','conditions':[{{'type':"
                "'Ready','status':'True','lastTransitionTime':'{}'}}]}}}}",
                api::to_value(cluster.clock.now()).as_string()
            )
        );
        cluster.settle();
    }
    std::string condition(const ObjectKey& workload, std::string_view type) const {
        return cluster.condition("team", workload.name, type);
    }

    MiniCluster cluster{1, {}, with_pods_ready()};
};

}  // namespace

TEST_CASE("each pod of an ordered StatefulSet has the timeout of PodsReady", "[podsready]") {
    OrderedPods pods;
    put_stateful_set(pods.cluster, "web", 3);
    const bool is_parallel = GENERATE(false, true);
    CAPTURE(is_parallel);
    if (is_parallel) {
        pods.cluster.merge(stateful_set_key("web"), "{'spec':{'podManagementPolicy':'Parallel'}}");
    }
    put_pod_of_set(pods.cluster, "web", 0);
    pods.cluster.settle();
    const ObjectKey workload = workload_of_set(pods.cluster, "web");
    REQUIRE(pods.condition(workload, "Admitted") == "True/Admitted");
    pods.pass(8min);
    pods.make_ready("web-0");
    put_pod_of_set(pods.cluster, "web", 1);
    pods.pass(3min);
    if (is_parallel) {
        CHECK(pods.condition(workload, "Evicted") == "True/PodsReadyTimeout");
        return;
    }
    CHECK(pods.condition(workload, "Evicted").empty());
    SECTION("and is not waited for longer") {
        pods.pass(6min);
        CHECK(pods.condition(workload, "Evicted").empty());
        pods.pass(1min);
        CHECK(pods.condition(workload, "Evicted") == "True/PodsReadyTimeout");
    }
    SECTION("so that all become ready in the end") {
        pods.pass(5min);
        pods.make_ready("web-1");
        put_pod_of_set(pods.cluster, "web", 2);
        pods.pass(9min);
        CHECK(pods.condition(workload, "Evicted").empty());
        pods.make_ready("web-2");
        CHECK(pods.condition(workload, "PodsReady") == "True/Started");
    }
}

TEST_CASE("a pod that becomes ready again and again ends no eviction", "[podsready]") {
    OrderedPods pods;
    put_stateful_set(pods.cluster, "web", 2);
    put_pod_of_set(pods.cluster, "web", 0);
    pods.cluster.settle();
    const ObjectKey workload = workload_of_set(pods.cluster, "web");
    for (int i = 0; i < 4; ++i) {
        pods.pass(4min + 45s);
        pods.make_ready("web-0");
    }
    CHECK(pods.condition(workload, "Evicted").empty());
    pods.pass(2min);
    CHECK(pods.condition(workload, "Evicted") == "True/PodsReadyTimeout");
}

TEST_CASE("workers that wait for their leader have the timeout of PodsReady", "[podsready]") {
    OrderedPods pods;
    put_leader_worker_set(pods.cluster, "llm", 1);
    const bool is_ordered = GENERATE(true, false);
    CAPTURE(is_ordered);
    pods.cluster.merge(
        leader_worker_set_key("llm"),
        fmt::format(
            "{{'spec':{{'startupPolicy':'{}'}}}}", is_ordered ? "LeaderReady" : "LeaderCreated"
        )
    );
    put_leader(pods.cluster, "llm", 0);
    pods.cluster.settle();
    const ObjectKey workload = workload_of_replica(pods.cluster, "llm", 0);
    REQUIRE(pods.condition(workload, "Admitted") == "True/Admitted");
    pods.pass(8min);
    pods.make_ready("llm-0");
    put_worker(pods.cluster, "llm", 0);
    pods.pass(3min);
    CHECK(pods.condition(workload, "Evicted").empty() == is_ordered);
}

}  // namespace sluice::controller
