#include "controller/described_story.hpp"
#include "controller/queued_jobs.hpp"
#include "controller/queued_pods.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fmt/format.h>

#include <chrono>
#include <string>

// Jobs that are gone while their pods run on: quota is given back when pods end.
namespace sluice::controller {
namespace {

/// A Job of all four cpus, with one pod, and another Job that waits.
struct LeftPod {
    explicit LeftPod(bool by_labels) {
        start_with_pods(cluster);
        cluster.put(job("a", 4));
        cluster.settle();
        workload = workload_key(cluster, "a");
        set_active_pods(cluster, "a", 1);
        PodText pod{
            .name = "a-1", .cpu = "4", .labels = {}, .annotations = {}, .is_managed = false
        };
        if (by_labels) {
            pod.labels["batch.kubernetes.io/job-name"] = "a";
            pod.labels["batch.kubernetes.io/controller-uid"] =
                cluster.at(job_key("a"), {"metadata", "uid"});
        } else {
            pod.annotations["kueue.x-k8s.io/workload"] = workload.name;
        }
        put_pod(cluster, pod);
        run_pod(cluster, "a-1");
        cluster.put(job("next", 4));
        cluster.settle();
        REQUIRE(is_running(cluster, "a"));
        REQUIRE_FALSE(is_running(cluster, "next"));
    }
    void wait() {
        cluster.clock.advance(std::chrono::seconds(10));
        cluster.settle();
    }
    bool holds_quota() const {
        return cluster.condition("team", workload.name, "QuotaReserved").starts_with("True") &&
               cluster.condition("team", workload.name, "Finished").empty();
    }
    MiniCluster cluster;
    ObjectKey workload;
};

}  // namespace

TEST_CASE("pods that a deleted Job left behind hold its quota", "[left-pods]") {
    const bool by_labels = GENERATE(true, false);
    const bool loses_owner = GENERATE(true, false);
    CAPTURE(by_labels, loses_owner);
    LeftPod left(by_labels);
    left.cluster.merge(
        left.workload, "{'metadata':{'annotations':{'kueue.x-k8s.io/workload-slice-name':'no'}}}"
    );
    left.cluster.remove(job_key("a"));
    if (loses_owner) {  // deleted with --cascade=orphan
        left.cluster.merge(left.workload, "{'metadata':{'ownerReferences':null}}");
    }
    left.cluster.settle();
    left.wait();
    CHECK(left.holds_quota());
    CHECK_FALSE(is_running(left.cluster, "next"));
    CHECK(has_event(
        left.cluster,
        "PodsLeftBehind",
        "The job is over and 1 of its pods run on: their quota is held until they end"
    ));
    SECTION("until they end") {
        set_pod_status(left.cluster, "a-1", "'phase':'Succeeded'");
    }
    SECTION("until they are gone") {
        delete_pod(left.cluster, "a-1");
    }
    SECTION("until their grace period has ended") {
        left.cluster.merge(
            pod_key("a-1"),
            "{'metadata':{'finalizers':['example.com/own'],'deletionGracePeriodSeconds':30}}"
        );
        delete_pod(left.cluster, "a-1");
        left.wait();
        CHECK(left.holds_quota());
        left.cluster.clock.advance(std::chrono::seconds(25));
    }
    SECTION("until they end, though the Workload is deactivated while it is deleted") {
        left.cluster.remove(left.workload);
        left.cluster.merge(left.workload, "{'spec':{'active':false}}");
        left.wait();
        CHECK_FALSE(is_running(left.cluster, "next"));
        set_pod_status(left.cluster, "a-1", "'phase':'Succeeded'");
        left.wait();
        CHECK_FALSE(is_there(left.cluster, left.workload));
        CHECK(is_running(left.cluster, "next"));
        return;
    }
    SECTION("until the Workload is evicted: they are deleted") {
        left.cluster.merge(left.workload, "{'spec':{'active':false}}");
        left.cluster.settle();
        left.wait();
        CHECK_FALSE(is_there(left.cluster, pod_key("a-1")));
    }
    left.wait();
    CHECK(left.cluster.condition("team", left.workload.name, "Finished") == "True/OwnerNotFound");
    CHECK(is_running(left.cluster, "next"));
}

TEST_CASE("quota that left pods need goes to no other job", "[left-pods][bypass]") {
    LeftPod left(false);
    left.cluster.remove(job_key("a"));
    left.cluster.merge(left.workload, "{'metadata':{'ownerReferences':null}}");
    left.cluster.settle();
    SECTION("that names the Workload as made beforehand") {
        std::string text = job("thief", 1);
        const std::string queue = "'kueue.x-k8s.io/queue-name'";
        text.insert(
            text.find(queue),
            fmt::format("'kueue.x-k8s.io/prebuilt-workload-name':'{}',", left.workload.name)
        );
        left.cluster.put(text);
    }
    SECTION("that is a pod, alone or of a group, and names it so") {
        const bool is_grouped = GENERATE(true, false);
        PodText pod = is_grouped ? group_pod("thief", 1) : PodText{.name = "thief"};
        if (is_grouped) {
            pod.annotations["kueue.x-k8s.io/pod-group-name"] = left.workload.name;
        }
        pod.labels["kueue.x-k8s.io/prebuilt-workload-name"] = left.workload.name;
        put_pod(left.cluster, pod);
        left.wait();
        CHECK(is_pod_gated(left.cluster, "thief"));
    }
    SECTION("that the Workload names as its owner") {
        left.cluster.put(job("thief", 1));
        left.cluster.settle();
        left.cluster.merge(
            left.workload,
            fmt::format(
                "{{'metadata':{{'ownerReferences':[{{'apiVersion':'batch/v1','kind':'Job','name':"
                "'thief','uid':'{}','controller':true}}]}}}}",
                left.cluster.at(job_key("thief"), {"metadata", "uid"})
            )
        );
    }
    left.wait();
    CHECK(left.holds_quota());
    CHECK_FALSE(is_running(left.cluster, "thief"));
    CHECK_FALSE(is_running(left.cluster, "next"));
    set_pod_status(left.cluster, "a-1", "'phase':'Succeeded'");
    left.wait();
    CHECK(left.cluster.condition("team", left.workload.name, "Finished") == "True/OwnerNotFound");
    CHECK(is_running(left.cluster, "next"));
}

TEST_CASE("a deactivated Workload without its Job holds quota until its pods end", "[left-pods]") {
    LeftPod left(false);
    left.cluster.remove(job_key("a"));
    left.cluster.merge(left.workload, "{'metadata':{'ownerReferences':null}}");
    left.cluster.settle();
    left.cluster.merge(pod_key("a-1"), "{'metadata':{'finalizers':['example.com/slow']}}");
    left.cluster.merge(left.workload, "{'spec':{'active':false}}");
    left.cluster.settle();
    CHECK(left.holds_quota());
    CHECK_FALSE(is_running(left.cluster, "next"));
    set_pod_status(left.cluster, "a-1", "'phase':'Succeeded'");
    left.wait();
    CHECK_FALSE(left.holds_quota());
    CHECK(is_running(left.cluster, "next"));
}

TEST_CASE("pods that an operator leaves running hold the quota of their job", "[left-pods]") {
    DescribedStory story("pytorchjob");
    story.cluster.add_kind(pod_kind(true));
    REQUIRE(story.create().empty());
    story.merge("{status: {replicaStatuses: {Worker: {active: 1}}}}");
    const ObjectKey workload = story.workload();
    put_pod(
        story.cluster,
        {.name = "sample-worker-0",
         .labels = {},
         .annotations = {{"kueue.x-k8s.io/workload", workload.name}},
         .is_managed = false}
    );
    run_pod(story.cluster, "sample-worker-0");
    const auto wait = [&story] {
        story.cluster.clock.advance(std::chrono::seconds(10));
        story.cluster.settle();
    };
    SECTION("though it is over: cleanPodPolicy is None") {
        story.merge(
            "{status: {replicaStatuses: {Worker: {active: 0}}, conditions: [{type: Succeeded, "
            "status: 'True', message: all is done}]}}"
        );
        wait();
        CHECK(story.condition("Finished").empty());
        CHECK(story.condition("QuotaReserved") == "True/QuotaReserved");
        SECTION("until they end") {
            set_pod_status(story.cluster, "sample-worker-0", "'phase':'Succeeded'");
        }
        SECTION("until they are deleted, as the Workload is evicted") {
            story.evict();
            wait();
            CHECK_FALSE(is_there(story.cluster, pod_key("sample-worker-0")));
        }
        wait();
        CHECK(story.condition("Finished") == "True/Succeeded");
    }
    SECTION("though it is over: its status keeps the counts of then, and its Workload still goes") {
        story.merge(
            "{status: {conditions: [{type: Succeeded, status: 'True', message: all is done}]}}"
        );
        wait();
        story.cluster.remove(workload);
        wait();
        CHECK(is_there(story.cluster, workload));
        set_pod_status(story.cluster, "sample-worker-0", "'phase':'Succeeded'");
        wait();
        CHECK_FALSE(is_there(story.cluster, workload));
    }
    SECTION("though its status has none: they are told to end, and have their grace period") {
        story.evict();
        story.merge("{status: {replicaStatuses: {Worker: {active: 0}}}}");
        story.cluster.merge(
            pod_key("sample-worker-0"),
            "{'metadata':{'finalizers':['example.com/own'],'deletionGracePeriodSeconds':30}}"
        );
        delete_pod(story.cluster, "sample-worker-0");
        wait();
        CHECK(story.condition("QuotaReserved") == "True/QuotaReserved");
        story.cluster.clock.advance(std::chrono::seconds(25));
        wait();
        CHECK(story.condition("QuotaReserved").starts_with("False"));
    }
}

TEST_CASE("a pod that its controller makes again is not ended in a loop", "[left-pods]") {
    MiniCluster cluster;
    start_with_pods(cluster);
    const bool is_made = GENERATE(true, false);
    PodText pod = GENERATE(true, false) ? group_pod("made-0", 1) : PodText{.name = "made-0"};
    pod.is_managed = false;
    pod.labels["kueue.x-k8s.io/queue-name"] = "main";
    pod.labels["kueue.x-k8s.io/managed"] = "true";
    put_pod(cluster, pod);
    if (is_made) {
        cluster.merge(
            pod_key("made-0"),
            "{'metadata':{'ownerReferences':[{'apiVersion':'example.com/v1','kind':'Maker',"
            "'name':'m','uid':'m','controller':true}]}}"
        );
    }
    if (GENERATE(true, false)) {  // the name of its group is that of a job's Workload
        cluster.put(
            "{'apiVersion':'kueue.x-k8s.io/v1beta2','kind':'Workload','metadata':{'name':'train',"
            "'namespace':'team'},'spec':{'queueName':'none','podSets':[{'name':'main','count':1,"
            "'template':{'spec':{'containers':[{'name':'c','image':'i'}]}}}]}}"
        );
    }
    run_pod(cluster, "made-0");
    cluster.settle(std::chrono::seconds(2));
    CHECK(is_pod_deleted(cluster, "made-0") != is_made);
    cluster.settle(std::chrono::seconds(6));
    CHECK(is_pod_deleted(cluster, "made-0"));
}

TEST_CASE("a Job that is being deleted holds its quota while its status has pods", "[left-pods]") {
    MiniCluster cluster;  // which does not follow pods
    make_queues(cluster);
    cluster.put(job("a", 4));
    cluster.settle();
    const ObjectKey workload = workload_key(cluster, "a");
    set_active_pods(cluster, "a", 1);
    cluster.put(job("next", 4));
    cluster.merge(job_key("a"), "{'metadata':{'finalizers':['foregroundDeletion']}}");
    cluster.settle();
    cluster.remove(job_key("a"));
    cluster.settle();
    cluster.clock.advance(std::chrono::seconds(10));
    cluster.settle();
    CHECK(cluster.condition("team", workload.name, "Finished").empty());
    CHECK_FALSE(is_running(cluster, "next"));
    SECTION("until they end") {
        set_active_pods(cluster, "a", 0);
    }
    SECTION("until it is gone") {
        cluster.merge(job_key("a"), "{'metadata':{'finalizers':null}}");
    }
    SECTION("until it is evicted, where pods cannot be deleted") {
        cluster.merge(workload, "{'spec':{'active':false}}");
    }
    cluster.settle();
    cluster.clock.advance(std::chrono::seconds(10));
    cluster.settle();
    CHECK(cluster.condition("team", workload.name, "Finished") == "True/OwnerNotFound");
    CHECK(is_running(cluster, "next"));
}

}  // namespace sluice::controller
