#include "api/core/apps.hpp"
#include "controller/kinds/builtin_kinds.hpp"
#include "controller/queued_jobs.hpp"
#include "controller/queued_pods.hpp"
#include "controller/serving_samples.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <chrono>
#include <string>

// LeaderWorkerSets: the pods of each replica are a group with a Workload of its own.
namespace sluice::controller {
namespace {

std::string condition(const MiniCluster& cluster, int replica, std::string_view type) {
    return cluster.condition("team", workload_of_replica(cluster, "llm", replica).name, type);
}

bool has_workload(const MiniCluster& cluster, int replica) {
    return is_there(cluster, workload_of_replica(cluster, "llm", replica));
}

std::string annotation(const MiniCluster& cluster, std::string_view pod, std::string_view key) {
    return cluster.at(
        pod_key(pod), {"metadata", "annotations", "kueue.x-k8s.io/" + std::string(key)}
    );
}

}  // namespace

TEST_CASE("each replica has a Workload, and starts when that is admitted", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 8)));
    start_serving(cluster);
    put_leader_worker_set(cluster, "llm", 3);
    cluster.settle();
    CHECK(condition(cluster, 0, "Admitted") == "True/Admitted");
    CHECK(condition(cluster, 1, "Admitted") == "True/Admitted");
    CHECK(condition(cluster, 2, "QuotaReserved").starts_with("False/"));
    const ObjectKey workload = workload_of_replica(cluster, "llm", 1);
    CHECK(
        cluster.at(
            workload, {"metadata", "annotations", "kueue.x-k8s.io/component-workload-index"}
        ) == "1"
    );
    CHECK(
        cluster.at(workload, {"metadata", "annotations", "kueue.x-k8s.io/job-owner-gvk"}) ==
        "leaderworkerset.x-k8s.io/v1, Kind=LeaderWorkerSet"
    );
    const auto& pod_sets = cluster.find(workload)->find_path({"spec", "podSets"})->as_array();
    REQUIRE(pod_sets.size() == 2);
    CHECK(pod_sets[0].string_at("name") == "leader");
    CHECK(pod_sets[1].string_at("name") == "worker");
    CHECK(
        json::print(*pod_sets[1].find_path({"template", "metadata", "labels"})) ==
        R"({"app":"llm"})"
    );

    for (int replica = 0; replica < 3; ++replica) {
        put_leader(cluster, "llm", replica);
        put_worker(cluster, "llm", replica);
    }
    cluster.settle();
    CHECK_FALSE(is_pod_gated(cluster, "llm-0"));
    CHECK_FALSE(is_pod_gated(cluster, "llm-1-1"));
    CHECK(is_pod_gated(cluster, "llm-2"));
    CHECK(is_pod_gated(cluster, "llm-2-1"));
    CHECK(annotation(cluster, "llm-1", "role-hash") == "leader");
    CHECK(annotation(cluster, "llm-1-1", "role-hash") == "worker");
    CHECK(annotation(cluster, "llm-1-1", "pod-group-name") == workload.name);
    CHECK(annotation(cluster, "llm-1-1", "prebuilt-workload-name") == workload.name);
    CHECK(annotation(cluster, "llm-1-1", "pod-group-total-count") == "2");
    CHECK(annotation(cluster, "llm-1-1", "pod-group-fast-admission").empty());
    CHECK(
        cluster.at(pod_key("llm-1-1"), {"metadata", "labels", "kueue.x-k8s.io/podset"}) == "worker"
    );
}

TEST_CASE("a replica that goes takes its Workload with it", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 8)));
    start_serving(cluster);
    put_leader_worker_set(cluster, "llm", 3);
    for (int replica = 0; replica < 3; ++replica) {
        put_leader(cluster, "llm", replica);
        put_worker(cluster, "llm", replica);
    }
    cluster.settle();
    put_leader_worker_set(cluster, "llm", 1);
    cluster.settle();
    CHECK(has_workload(cluster, 0));
    CHECK_FALSE(has_workload(cluster, 1));
    CHECK_FALSE(has_workload(cluster, 2));
    CHECK(is_pod_deleted(cluster, "llm-1"));
    CHECK(is_pod_deleted(cluster, "llm-2-1"));
    CHECK_FALSE(is_pod_deleted(cluster, "llm-0"));
}

TEST_CASE("replicas that a rollout adds have Workloads until it is done", "[controller]") {
    MiniCluster cluster;
    start_serving(cluster);
    put_leader_worker_set(cluster, "llm", 1);
    cluster.settle();
    const std::string surge = GENERATE("1", "'50%'");
    const ObjectKey key = leader_worker_set_key("llm");
    cluster.merge(
        key,
        "{'spec':{'rolloutStrategy':{'rollingUpdateConfiguration':{'maxSurge':" + surge + "}}}}"
    );
    set_status(cluster, key, "'replicas':2,'updatedReplicas':0");
    cluster.settle();
    CHECK(has_workload(cluster, 1));
    set_status(cluster, key, "'replicas':2,'updatedReplicas':1");
    cluster.settle();
    CHECK(has_workload(cluster, 0));
    CHECK_FALSE(has_workload(cluster, 1));
}

TEST_CASE("a Workload of a replica that is deleted is made again", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 8)));
    start_serving(cluster);
    put_leader_worker_set(cluster, "llm", 1);
    put_leader(cluster, "llm", 0);
    cluster.settle();
    const ObjectKey workload = workload_of_replica(cluster, "llm", 0);
    const std::string before = cluster.at(workload, {"metadata", "uid"});
    cluster.remove(workload);
    cluster.settle();
    REQUIRE(is_there(cluster, workload));
    CHECK(cluster.at(workload, {"metadata", "uid"}) != before);
    CHECK(is_pod_deleted(cluster, "llm-0"));
}

TEST_CASE("pods of the revision that a StatefulSet leaves are not held back", "[controller]") {
    MiniCluster cluster;
    start_serving(cluster);
    cluster.put(job("busy", 4));
    cluster.settle();
    put_leader_worker_set(cluster, "llm", 1);
    put_leader(cluster, "llm", 0);
    put_stateful_set(cluster, "llm", 1);
    cluster.merge(
        stateful_set_key("llm"),
        "{'metadata':{'labels':{'leaderworkerset.sigs.k8s.io/name':'llm'}},"
        "'spec':{'template':{'metadata':{'annotations':{'kueue.x-k8s.io/pod-suspending-parent':"
        "'leaderworkerset.x-k8s.io/leaderworkerset'}}}}}"
    );
    cluster.merge(
        pod_key("llm-0"),
        "{'metadata':{'labels':{'controller-revision-hash':'r1'},'ownerReferences':[{'apiVersion':"
        "'apps/v1','kind':'StatefulSet','name':'llm','uid':'" +
            cluster.at(stateful_set_key("llm"), {"metadata", "uid"}) + "','controller':true}]}}"
    );
    cluster.settle();
    CHECK(is_pod_gated(cluster, "llm-0"));
    set_status(cluster, stateful_set_key("llm"), "'currentRevision':'r1','updateRevision':'r2'");
    cluster.settle();
    CHECK((!is_there(cluster, pod_key("llm-0")) || is_pod_deleted(cluster, "llm-0")));
}

TEST_CASE("pods that outlive their LeaderWorkerSet are let go after a minute", "[controller]") {
    MiniCluster cluster;
    start_serving(cluster);
    cluster.put(job("busy", 4));
    cluster.settle();
    put_leader_worker_set(cluster, "llm", 1);
    put_leader(cluster, "llm", 0);
    cluster.settle();
    cluster.remove(leader_worker_set_key("llm"));
    put_leader(cluster, "late", 0);
    cluster.settle();
    CHECK(is_pod_gated(cluster, "late-0"));
    cluster.settle(std::chrono::minutes(2));
    CHECK_FALSE(is_pod_gated(cluster, "late-0"));
}

TEST_CASE("a LeaderWorkerSet goes on after a restart at any moment", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 20)));
    start_serving(cluster);
    const int steps = GENERATE(range(1, 40, 5));
    put_leader_worker_set(cluster, "llm", 2);
    for (int replica = 0; replica < 2; ++replica) {
        put_leader(cluster, "llm", replica);
        put_worker(cluster, "llm", replica);
    }
    for (int i = 0; i < steps && cluster.tick(); ++i) {
    }
    cluster.restart();
    cluster.settle();
    for (const char* pod : {"llm-0", "llm-0-1", "llm-1", "llm-1-1"}) {
        CHECK_FALSE(is_pod_gated(cluster, pod));
    }
}

}  // namespace sluice::controller
