#include "controller/queued_jobs.hpp"
#include "controller/queued_pods.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <fmt/format.h>

#include <cstdint>
#include <string>

// Users who try to get more out of a group of pods than its quota.
namespace sluice::controller {
namespace {

constexpr const char* kWithoutGates = "{'spec':{'schedulingGates':null}}";

std::string condition(const MiniCluster& cluster, std::string_view type) {
    return cluster.condition("team", "train", type);
}

/// A group of three that does not fit: the queue has four CPUs.
void put_waiting_group(MiniCluster& cluster) {
    for (const char* name : {"a", "b", "c"}) {
        PodText pod = group_pod(name, 3);
        pod.cpu = "2";
        put_pod(cluster, pod);
    }
    cluster.settle();
    REQUIRE(condition(cluster, "QuotaReserved").starts_with("False"));
}

void run_two(MiniCluster& cluster) {
    put_pod(cluster, group_pod("a", 2));
    put_pod(cluster, group_pod("b", 2));
    cluster.settle();
    run_pod(cluster, "a");
    run_pod(cluster, "b");
    REQUIRE(condition(cluster, "Admitted") == "True/Admitted");
}

}  // namespace

TEST_CASE("pods of a waiting group do not run because their gates were taken away", "[bypass]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 5)));
    start_with_pods(cluster);
    put_waiting_group(cluster);
    cluster.merge(pod_key("b"), kWithoutGates);
    cluster.merge(pod_key("c"), kWithoutGates);
    run_pod(cluster, "b");
    cluster.settle();
    CHECK((!is_there(cluster, pod_key("b")) || is_pod_deleted(cluster, "b")));
    CHECK((!is_there(cluster, pod_key("c")) || is_pod_deleted(cluster, "c")));
    CHECK(is_pod_gated(cluster, "a"));
    CHECK_FALSE(is_pod_deleted(cluster, "a"));
}

TEST_CASE("one pod that has succeeded lets no other run without a Workload", "[bypass]") {
    MiniCluster cluster;
    start_with_pods(cluster);
    run_two(cluster);
    set_pod_status(cluster, "a", "'phase':'Succeeded'");
    cluster.settle();
    cluster.remove(group_workload());
    cluster.settle();
    CHECK((!is_there(cluster, pod_key("b")) || is_pod_deleted(cluster, "b")));
}

TEST_CASE("a Job does not take a group's Workload by naming it", "[bypass]") {
    MiniCluster cluster;
    start_with_pods(cluster);
    run_two(cluster);
    const int cpu = GENERATE(1, 4);
    cluster.put(job("thief", cpu, ",'kueue.x-k8s.io/prebuilt-workload-name':'train'"));
    cluster.merge(job_key("thief"), "{'spec':{'suspend':false}}");
    cluster.settle();
    CHECK_FALSE(is_running(cluster, "thief"));
    CHECK(condition(cluster, "Finished").empty());
    CHECK_FALSE(is_pod_deleted(cluster, "a"));
}

TEST_CASE("a larger pod takes no place of a group, whoever opened its gate", "[bypass]") {
    MiniCluster cluster;
    start_with_pods(cluster);
    run_two(cluster);
    set_pod_status(cluster, "a", "'phase':'Failed'");
    cluster.settle();
    PodText larger = group_pod("a2", 2);
    larger.cpu = "100";
    put_pod(cluster, larger);
    if (GENERATE(true, false)) {
        cluster.merge(pod_key("a2"), kWithoutGates);
    }
    cluster.settle();
    CHECK((!is_there(cluster, pod_key("a2")) || is_pod_deleted(cluster, "a2")));
    CHECK_FALSE(is_pod_deleted(cluster, "b"));
}

TEST_CASE("a number may be written in several ways", "[controller]") {
    MiniCluster cluster;
    start_with_pods(cluster);
    for (const char* name : {"a", "b"}) {
        PodText pod = group_pod(name, 2);
        pod.labels["kueue.x-k8s.io/max-exec-time-seconds"] = "060";
        put_pod(cluster, pod);
    }
    cluster.settle();
    CHECK(condition(cluster, "Admitted") == "True/Admitted");
    CHECK_FALSE(is_pod_gated(cluster, "a"));
    CHECK(cluster.at(group_workload(), {"spec", "maximumExecutionTimeSeconds"}) == "60");
}

}  // namespace sluice::controller
