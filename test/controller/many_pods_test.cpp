#include "controller/queued_jobs.hpp"
#include "controller/queued_pods.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fmt/format.h>

#include <cstdint>
#include <string>

// What many pods cost: the number of reconciles, of which that of a group looks at all its pods.
namespace sluice::controller {
namespace {

std::uint64_t reconciles(MiniCluster& cluster) {
    return cluster.controller().runner.work().at("v1_pod").taken;
}

}  // namespace

TEST_CASE("a large group is reconciled a few times, however many pods it has", "[controller]") {
    const int count = GENERATE(100, 1000);
    MiniCluster cluster;
    cluster.rows_max = 64;
    start_with_pods(cluster);
    for (int i = 0; i < count; ++i) {
        PodText pod = group_pod(fmt::format("p{}", i), count);
        pod.cpu = "1m";
        put_pod(cluster, pod);
    }
    cluster.settle();
    CHECK_FALSE(is_pod_gated(cluster, "p0"));
    CHECK_FALSE(is_pod_gated(cluster, fmt::format("p{}", count - 1)));
    for (int i = 0; i < count; ++i) {
        set_pod_status(cluster, fmt::format("p{}", i), "'phase':'Succeeded'");
    }
    cluster.settle();
    CHECK(cluster.condition("team", "train", "Finished") == "True/Succeeded");
    CHECK_FALSE(holds_pod(cluster, "p0"));
    // While it is small, each of its pods counts.
    CHECK(reconciles(cluster) < 200);
}

TEST_CASE("each of many pods is reconciled a few times", "[controller]") {
    constexpr int kCount = 500;
    MiniCluster cluster;
    cluster.rows_max = 64;
    start_with_pods(cluster);
    for (int i = 0; i < kCount; ++i) {
        put_pod(
            cluster, {.name = fmt::format("p{}", i), .cpu = "1m", .labels = {}, .annotations = {}}
        );
    }
    cluster.settle(std::chrono::seconds(30));
    CHECK_FALSE(is_pod_gated(cluster, fmt::format("p{}", kCount - 1)));
    CHECK(reconciles(cluster) < std::uint64_t{20} * kCount);
}

}  // namespace sluice::controller
