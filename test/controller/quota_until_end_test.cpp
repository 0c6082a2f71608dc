#include "controller/queued_jobs.hpp"
#include "controller/queued_pods.hpp"
#include "controller/serving_samples.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>

// Quota stays with pods until they have ended, whatever tenants write on them meanwhile.
namespace sluice::controller {
namespace {

using std::chrono::seconds;

constexpr const char* kAnotherRole =
    "{'metadata':{'annotations':{'kueue.x-k8s.io/role-hash':'another'}}}";

/// A pod that is deleted goes on until its long grace period is over.
void end_slowly(MiniCluster& cluster, const std::string& pod) {
    cluster.merge(
        pod_key(pod),
        "{'metadata':{'finalizers':['example.com/kubelet','kueue.x-k8s.io/managed'],"
        "'deletionGracePeriodSeconds':86400}}"
    );
}

void put_prebuilt(MiniCluster& cluster, const char* name, int count, const char* cpu) {
    cluster.put(fmt::format(
        "{{'kind':'Workload','metadata':{{'name':'{}','namespace':'team'}},'spec':{{'queueName':"
        "'main','podSets':[{{'name':'main','count':{},'template':{{'spec':{{'containers':[{{"
        "'name':'c','image':'i','resources':{{'requests':{{'cpu':'{}'}}}}}}]}}}}}}]}}}}",
        name,
        count,
        cpu
    ));
}

/// A job that takes all quota is created and waits.
void put_waiting(MiniCluster& cluster) {
    cluster.put(job("next", 4));
    cluster.settle();
    REQUIRE_FALSE(is_running(cluster, "next"));
}

/// The set has so many pods, all of which run.
void run_set(MiniCluster& cluster, int replicas) {
    put_stateful_set(cluster, "web", replicas);
    for (int i = 0; i < replicas; ++i) {
        put_pod_of_set(cluster, "web", i);
        cluster.settle();
        run_pod(cluster, fmt::format("web-{}", i));
    }
    cluster.settle();
}

bool may_run(const MiniCluster& cluster, const std::string& pod) {
    return is_there(cluster, pod_key(pod)) && !is_pod_gated(cluster, pod) &&
           !is_pod_deleted(cluster, pod);
}

}  // namespace

TEST_CASE("a role that a tenant writes frees no place for another pod", "[bypass]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 9)));
    start_serving(cluster);
    run_set(cluster, 2);
    put_stateful_set(cluster, "web", 4);
    put_pod_of_set(cluster, "web", 2);
    put_pod_of_set(cluster, "web", 3);
    cluster.settle();
    cluster.merge(pod_key("web-0"), kAnotherRole);
    cluster.settle(seconds(60));
    CHECK(may_run(cluster, "web-0"));
    CHECK(is_pod_gated(cluster, "web-2"));
    CHECK(is_pod_gated(cluster, "web-3"));
}

TEST_CASE("a renamed pod that is ending keeps its place in its group", "[bypass]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 5)));
    start_with_pods(cluster);
    for (const char* name : {"a", "b"}) {
        put_pod(cluster, group_pod(name, 2));
    }
    cluster.settle();
    for (const char* name : {"a", "b"}) {
        run_pod(cluster, name);
    }
    cluster.settle();
    end_slowly(cluster, "a");
    cluster.merge(pod_key("a"), kAnotherRole);
    cluster.settle();
    put_pod(cluster, group_pod("c", 2));
    cluster.settle(seconds(60));
    CHECK_FALSE(may_run(cluster, "c"));
}

TEST_CASE("a pod that cannot be started ends no group that runs", "[bypass]") {
    MiniCluster cluster;
    start_with_pods(cluster);
    for (const char* name : {"a", "b"}) {
        put_pod(cluster, group_pod(name, 2));
    }
    cluster.settle();
    for (const char* name : {"a", "b"}) {
        run_pod(cluster, name);
    }
    set_pod_status(cluster, "b", "'phase':'Failed'");
    cluster.settle();
    PodText wrong = group_pod("c", 2);
    wrong.labels["kueue.x-k8s.io/podset"] = "other";
    put_pod(cluster, wrong);
    cluster.settle(seconds(60));
    CHECK(cluster.condition("team", "train", "Finished").empty());
    CHECK(is_pod_gated(cluster, "c"));
    CHECK(std::ranges::count(cluster.events, "InvalidSpec", &EventNote::reason) > 0);
    put_waiting(cluster);
    CHECK(may_run(cluster, "a"));
}

TEST_CASE("a Job out of sync keeps its quota until its pods have ended", "[bypass]") {
    MiniCluster cluster;
    make_queues(cluster);
    put_prebuilt(cluster, "made", 1, "3");
    cluster.put(job("a", 3, ",'kueue.x-k8s.io/prebuilt-workload-name':'made'"));
    cluster.settle();
    set_active_pods(cluster, "a", 1);
    cluster.settle();
    put_waiting(cluster);
    cluster.merge(job_key("a"), "{'spec':{'parallelism':2,'completions':2}}");
    cluster.settle(seconds(60));
    CHECK_FALSE(is_running(cluster, "a"));
    CHECK_FALSE(is_running(cluster, "next"));
    set_active_pods(cluster, "a", 0);
    cluster.settle(seconds(60));
    CHECK(cluster.condition("team", "made", "Finished") == "True/OutOfSync");
    CHECK(is_running(cluster, "next"));
}

TEST_CASE("a group out of sync keeps its quota until its pods have ended", "[bypass]") {
    MiniCluster cluster;
    start_with_pods(cluster);
    put_prebuilt(cluster, "train", 2, "2");
    for (const char* name : {"a", "b"}) {
        PodText pod = group_pod(name, 2, "main");
        pod.cpu = "2";
        pod.labels["kueue.x-k8s.io/prebuilt-workload-name"] = "train";
        put_pod(cluster, pod);
    }
    cluster.settle();
    for (const char* name : {"a", "b"}) {
        run_pod(cluster, name);
        end_slowly(cluster, name);
    }
    cluster.settle();
    put_waiting(cluster);
    cluster.merge(pod_key("a"), kAnotherRole);
    cluster.settle(seconds(60));
    CHECK(is_pod_deleted(cluster, "b"));
    CHECK_FALSE(is_running(cluster, "next"));
}

TEST_CASE("a LeaderWorkerSet whose roles were mixed up keeps its quota and goes on", "[bypass]") {
    MiniCluster cluster;
    start_serving(cluster);
    put_leader_worker_set(cluster, "llm", 2);
    for (int replica = 0; replica < 2; ++replica) {
        put_leader(cluster, "llm", replica);
        put_worker(cluster, "llm", replica);
    }
    cluster.settle();
    for (const char* name : {"llm-0", "llm-0-1", "llm-1", "llm-1-1"}) {
        run_pod(cluster, name);
    }
    cluster.settle();
    cluster.put(job("next", 2));
    cluster.settle();
    REQUIRE_FALSE(is_running(cluster, "next"));
    const bool ends_slowly = GENERATE(true, false);
    for (const char* name : {"llm-0", "llm-0-1"}) {
        if (ends_slowly) {
            end_slowly(cluster, name);
        }
    }
    cluster.merge(
        pod_key("llm-0"), "{'metadata':{'annotations':{'kueue.x-k8s.io/role-hash':'worker'}}}"
    );
    cluster.settle(seconds(60));
    if (ends_slowly) {
        CHECK_FALSE(is_running(cluster, "next"));
        return;
    }
    cluster.remove(job_key("next"));
    for (const char* name : {"llm-0", "llm-0-1"}) {
        if (is_there(cluster, pod_key(name)) && is_pod_deleted(cluster, name)) {
            delete_pod(cluster, name);
        }
    }
    put_leader(cluster, "llm", 0);
    put_worker(cluster, "llm", 0);
    cluster.settle(seconds(120));
    CHECK(may_run(cluster, "llm-0"));
    CHECK(may_run(cluster, "llm-0-1"));
}

TEST_CASE("a rollout replaces gated pods and runs none without quota", "[bypass]") {
    MiniCluster cluster;
    start_serving(cluster);
    run_set(cluster, 2);
    put_stateful_set(cluster, "web", 4);
    put_pod_of_set(cluster, "web", 2, "r1");
    put_pod_of_set(cluster, "web", 3, "r1");
    cluster.settle();
    set_status(cluster, stateful_set_key("web"), "'currentRevision':'r1','updateRevision':'r2'");
    cluster.settle(seconds(60));
    CHECK_FALSE(may_run(cluster, "web-2"));
    CHECK_FALSE(may_run(cluster, "web-3"));
    CHECK(may_run(cluster, "web-0"));
}

TEST_CASE("a StatefulSet at zero keeps its quota while unmarked pods run on", "[bypass]") {
    MiniCluster cluster;
    start_serving(cluster);
    run_set(cluster, 4);
    put_waiting(cluster);
    const bool is_unmarked = GENERATE(false, true);
    for (int i = 0; i < 4; ++i) {
        const std::string name = fmt::format("web-{}", i);
        end_slowly(cluster, name);
        if (is_unmarked) {
            cluster.merge(
                pod_key(name),
                "{'metadata':{'annotations':{'kueue.x-k8s.io/pod-suspending-parent':null}}}"
            );
        }
    }
    cluster.settle();
    put_stateful_set(cluster, "web", 0);
    for (int i = 0; i < 4; ++i) {
        delete_pod(cluster, fmt::format("web-{}", i));
    }
    cluster.settle(seconds(60));
    CHECK_FALSE(is_running(cluster, "next"));
}

TEST_CASE("no pod runs on a Workload that was finished beside it", "[bypass]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 9)));
    start_serving(cluster);
    cluster.put(job("busy", 4));
    put_stateful_set(cluster, "web", 1);
    put_pod_of_set(cluster, "web", 0);
    cluster.settle();
    REQUIRE(is_pod_gated(cluster, "web-0"));
    // As if the pod were a job of its own, which it is not.
    cluster.merge(
        workload_of_set(cluster, "web"),
        fmt::format(
            "{{'metadata':{{'ownerReferences':[{{'apiVersion':'v1','kind':'Pod','name':'web-0',"
            "'uid':'{}','controller':true}}]}}}}",
            cluster.at(pod_key("web-0"), {"metadata", "uid"})
        )
    );
    cluster.settle();
    complete(cluster, "busy");
    cluster.settle(seconds(60));
    const bool has_finished =
        !cluster.condition("team", workload_of_set(cluster, "web").name, "Finished").empty();
    CHECK_FALSE((has_finished && may_run(cluster, "web-0")));
}

TEST_CASE("an owner that a tenant writes takes no orphan's quota", "[bypass]") {
    MiniCluster cluster;
    start_with_pods(cluster);
    cluster.put(job("a", 4));
    cluster.settle();
    const ObjectKey workload = workload_key(cluster, "a");
    set_active_pods(cluster, "a", 1);
    PodText pod{.name = "a-1", .cpu = "4", .labels = {}, .annotations = {}, .is_managed = false};
    pod.labels["batch.kubernetes.io/controller-uid"] =
        cluster.at(job_key("a"), {"metadata", "uid"});
    pod.annotations["kueue.x-k8s.io/workload"] = workload.name;
    put_pod(cluster, pod);
    run_pod(cluster, "a-1");
    put_waiting(cluster);
    cluster.remove(job_key("a"));
    cluster.merge(workload, "{'metadata':{'ownerReferences':null}}");
    cluster.settle(seconds(20));
    PodText thief = group_pod("thief", 1, "another");
    thief.annotations["kueue.x-k8s.io/pod-group-name"] = workload.name;
    thief.labels["kueue.x-k8s.io/prebuilt-workload-name"] = workload.name;
    put_pod(cluster, thief);
    cluster.settle();
    const char* owner = GENERATE(
        "{{'metadata':{{'ownerReferences':[{{'apiVersion':'v1','kind':'Pod','name':'thief','uid':"
        "'{}'}}]}}}}",
        "{{'metadata':{{'ownerReferences':[{{'apiVersion':'apps/v1','kind':'StatefulSet','name':"
        "'none','uid':'{}'}}]}}}}"
    );
    cluster.merge(
        workload,
        fmt::format(fmt::runtime(owner), cluster.at(pod_key("thief"), {"metadata", "uid"}))
    );
    cluster.settle(seconds(60));
    CHECK_FALSE(is_running(cluster, "next"));
    CHECK(is_there(cluster, pod_key("a-1")));
}

TEST_CASE("a Job resumed by hand runs on the nodes of its flavor alone", "[bypass]") {
    MiniCluster cluster;
    make_queues(cluster);
    bool has_raced = false;
    cluster.fault = [&](const Write& write) -> std::optional<Error> {
        const std::string workload = cluster.workload_of("team", "a");
        if (!has_raced && write.object == job_key("a") && !workload.empty() &&
            cluster.condition("team", workload, "Admitted") == "True/Admitted") {
            has_raced = true;
            cluster.merge(
                job_key("a"),
                "{'spec':{'suspend':false,'template':{'spec':{'nodeSelector':{'tier':'gold'}}}}}"
            );
        }
        return std::nullopt;
    };
    cluster.put(job("a", 1));
    cluster.settle();
    REQUIRE(has_raced);
    CHECK(is_running(cluster, "a"));
    CHECK(
        cluster.at(job_key("a"), {"spec", "template", "spec", "nodeSelector"}) ==
        R"({"tier":"spot"})"
    );
}

}  // namespace sluice::controller
