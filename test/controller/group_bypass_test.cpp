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

TEST_CASE("an annotation of who serves hides no larger pod", "[bypass]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 5)));
    start_with_pods(cluster);
    const bool is_fast = GENERATE(false, true);
    const auto put = [&](const char* name, const char* cpu) {
        PodText pod = group_pod(name, 3, "x");
        pod.cpu = cpu;
        pod.annotations["kueue.x-k8s.io/pod-group-serving"] = "true";
        if (is_fast) {
            pod.annotations["kueue.x-k8s.io/pod-group-fast-admission"] = "true";
        }
        put_pod(cluster, pod);
    };
    const bool settles = GENERATE(false, true);
    for (const auto& [name, cpu] : {std::pair("p0", "10m"), {"p1", "30"}, {"p2", "30"}}) {
        put(name, cpu);
        if (settles) {
            cluster.settle();
        }
    }
    cluster.settle();
    for (const char* name : {"p1", "p2"}) {
        CAPTURE(name);
        CHECK(
            (!is_there(cluster, pod_key(name)) || is_pod_deleted(cluster, name) ||
             is_pod_gated(cluster, name))
        );
    }
}

TEST_CASE("pods of a prebuilt Workload are no larger than it counts", "[bypass]") {
    MiniCluster cluster;
    start_with_pods(cluster);
    cluster.put(
        "{'kind':'Workload','metadata':{'name':'train','namespace':'team'},'spec':{'queueName':"
        "'main','podSets':[{'name':'x','count':3,'template':{'spec':{'containers':[{'name':'c',"
        "'image':'i','resources':{'requests':{'cpu':'1'}}}]}}}]}}"
    );
    const char* serving = GENERATE("true", "false");
    const auto put = [&](const char* name, const char* cpu) {
        PodText pod = group_pod(name, 3, "x");
        pod.cpu = cpu;
        pod.labels["kueue.x-k8s.io/prebuilt-workload-name"] = "train";
        pod.annotations["kueue.x-k8s.io/pod-group-serving"] = serving;
        put_pod(cluster, pod);
    };
    put("p0", "1");
    put("p1", "60");
    put("p2", "60");
    if (GENERATE(false, true)) {
        cluster.merge(pod_key("p2"), kWithoutGates);
        cluster.merge(pod_key("p2"), "{'metadata':{'labels':{'kueue.x-k8s.io/podset':'x'}}}");
    }
    cluster.settle();
    CHECK((!is_there(cluster, pod_key("p1")) || is_pod_deleted(cluster, "p1")));
    CHECK((!is_there(cluster, pod_key("p2")) || is_pod_deleted(cluster, "p2")));
    CHECK(has_event(cluster, "ExcessPodDeleted", "Excess pod deleted"));
    CHECK_FALSE(is_pod_gated(cluster, "p0"));
    put("p3", "1");
    put("p4", "500m");
    cluster.settle();
    CHECK_FALSE(is_pod_gated(cluster, "p3"));
    CHECK_FALSE(is_pod_gated(cluster, "p4"));
}

TEST_CASE("a LimitRange's defaults belong to the pods of a prebuilt Workload", "[controller]") {
    MiniCluster cluster;
    start_with_pods(cluster);
    cluster.put(
        "{'apiVersion':'v1','kind':'LimitRange','metadata':{'name':'l','namespace':'team'},'spec':"
        "{'limits':[{'type':'Container','defaultRequest':{'cpu':'1'}}]}}"
    );
    cluster.put(
        "{'kind':'Workload','metadata':{'name':'train','namespace':'team'},'spec':{'queueName':"
        "'main','podSets':[{'name':'x','count':1,'template':{'spec':{'containers':[{'name':'c',"
        "'image':'i'}]}}}]}}"
    );
    PodText pod = group_pod("p0", 1, "x");
    pod.labels["kueue.x-k8s.io/prebuilt-workload-name"] = "train";
    put_pod(cluster, pod);
    cluster.settle();
    CHECK_FALSE(is_pod_gated(cluster, "p0"));
}

TEST_CASE("a mark of an earlier start lets no larger pod run", "[bypass]") {
    MiniCluster cluster;
    start_with_pods(cluster);
    run_two(cluster);
    set_pod_status(cluster, "a", "'phase':'Failed'");
    cluster.settle();
    PodText larger = group_pod("a2", 2);
    larger.cpu = "100";
    larger.labels["kueue.x-k8s.io/podset"] = "r1";
    put_pod(cluster, larger);
    cluster.merge(pod_key("a2"), kWithoutGates);
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

TEST_CASE("a pod of a role that the group's Workload lacks does not run", "[bypass]") {
    MiniCluster cluster;
    start_with_pods(cluster);
    run_two(cluster);
    put_pod(cluster, group_pod("c", 2, "another"));
    cluster.settle();
    CHECK(is_pod_gated(cluster, "c"));
    CHECK_FALSE(is_pod_deleted(cluster, "c"));
    cluster.merge(pod_key("c"), kWithoutGates);
    run_pod(cluster, "c");
    cluster.settle();
    CHECK((!is_there(cluster, pod_key("c")) || is_pod_deleted(cluster, "c")));
    CHECK_FALSE(is_pod_deleted(cluster, "a"));
}

TEST_CASE(
    "a pod runs neither without place in a prebuilt Workload nor beside a job's", "[bypass]"
) {
    const bool is_prebuilt = GENERATE(true, false);
    MiniCluster cluster;
    start_with_pods(cluster);
    cluster.put(
        "{'kind':'Workload','metadata':{'name':'train','namespace':'team'},'spec':{'queueName':"
        "'main','podSets':[{'name':'r1','count':1,'template':{'spec':{'containers':[{'name':'c',"
        "'image':'i','resources':{'requests':{'cpu':'1'}}}]}}}]}}"
    );
    for (const char* name : {"a", "b"}) {
        PodText pod = group_pod(name, 2);
        if (is_prebuilt) {
            pod.labels["kueue.x-k8s.io/prebuilt-workload-name"] = "train";
        }
        put_pod(cluster, pod);
    }
    cluster.settle();
    cluster.merge(pod_key("b"), kWithoutGates);
    run_pod(cluster, "b");
    cluster.settle();
    CHECK((!is_there(cluster, pod_key("b")) || is_pod_deleted(cluster, "b")));
}

TEST_CASE("no pod runs on a prebuilt Workload that a pod's new role ended", "[bypass]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 8)));
    start_with_pods(cluster);
    cluster.put(
        "{'kind':'Workload','metadata':{'name':'train','namespace':'team'},'spec':{'queueName':"
        "'main','podSets':[{'name':'x','count':1,'template':{'spec':{'containers':[{'name':'c',"
        "'image':'i','resources':{'requests':{'cpu':'1'}}}]}}}]}}"
    );
    for (const char* name : {"a", "b"}) {
        PodText pod = group_pod(name, 1, "x");
        pod.labels["kueue.x-k8s.io/prebuilt-workload-name"] = "train";
        pod.annotations["kueue.x-k8s.io/pod-group-fast-admission"] = "true";
        put_pod(cluster, pod);
        cluster.settle();
    }
    run_pod(cluster, "a");
    REQUIRE(is_pod_gated(cluster, "b"));
    cluster.merge(
        pod_key("b"), "{'metadata':{'annotations':{'kueue.x-k8s.io/role-hash':'another'}}}"
    );
    cluster.settle();
    const bool has_ended = !is_there(cluster, pod_key("a")) || is_pod_deleted(cluster, "a");
    CHECK(has_ended == !cluster.condition("team", "train", "Finished").empty());
    CHECK(is_pod_gated(cluster, "b"));
}

TEST_CASE("the Workload of a single pod that is said to be a group's keeps no pod", "[bypass]") {
    MiniCluster cluster;
    start_with_pods(cluster);
    put_pod(cluster, PodText{.name = "p"});
    cluster.settle();
    cluster.merge(
        workload_key(cluster, "p"),
        "{'metadata':{'annotations':{'kueue.x-k8s.io/is-group-workload':'true'}}}"
    );
    run_pod(cluster, "p");
    cluster.settle();
    set_pod_status(cluster, "p", "'phase':'Succeeded'");
    cluster.settle();
    delete_pod(cluster, "p");
    cluster.settle();
    CHECK_FALSE(is_there(cluster, pod_key("p")));
}

}  // namespace sluice::controller
