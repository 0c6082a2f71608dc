#include "controller/queued_jobs.hpp"
#include "controller/queued_pods.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <string>

// Pods of groups that were ended wait for others in their place, but not for what cannot come.
namespace sluice::controller {
namespace {

const ObjectKey kNamespaceKey{kind_of<api::Namespace>(), "", "team"};

/// Runs the pods a and b of a group, each with these additional members of its metadata.
void run_two(
    MiniCluster& cluster,
    const std::map<std::string, std::string>& annotations = {},
    const std::string& owner = {}
) {
    start_with_pods(cluster);
    for (const char* name : {"a", "b"}) {
        PodText pod = group_pod(name, 2);
        pod.annotations.insert(annotations.begin(), annotations.end());
        put_pod(cluster, pod);
        if (!owner.empty()) {
            cluster.merge(pod_key(name), "{'metadata':{'ownerReferences':[" + owner + "]}}");
        }
    }
    cluster.settle();
    run_pod(cluster, "a");
    run_pod(cluster, "b");
    cluster.settle();
}

void preempt(MiniCluster& cluster) {
    cluster.put("{'kind':'WorkloadPriorityClass','metadata':{'name':'high'},'value':1000}");
    cluster.put(job("urgent", 4, ",'kueue.x-k8s.io/priority-class':'high'"));
    cluster.settle();
    REQUIRE(is_pod_deleted(cluster, "a"));
    REQUIRE(is_pod_deleted(cluster, "b"));
}

/// Plays kubelet: the containers end.
void end_pods(MiniCluster& cluster, const std::string& last_phase) {
    set_pod_status(cluster, "a", "'phase':'Failed'");
    set_pod_status(cluster, "b", "'phase':'" + last_phase + "'");
    cluster.settle();
}

void delete_namespace(MiniCluster& cluster) {
    cluster.merge(kNamespaceKey, "{'metadata':{'finalizers':['kubernetes']}}");
    cluster.remove(kNamespaceKey);
    cluster.settle();
}

bool are_gone(const MiniCluster& cluster) {
    return !is_there(cluster, pod_key("a")) && !is_there(cluster, pod_key("b"));
}

constexpr const char* kOwner =
    "{'apiVersion':'apps/v1','kind':'StatefulSet','name':'s','uid':'u','controller':true}";

}  // namespace

TEST_CASE("pods of a preempted group are released when replacements cannot come", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 4)));
    run_two(cluster);
    preempt(cluster);
    end_pods(cluster, GENERATE("Failed", "Succeeded"));
    REQUIRE(is_there(cluster, pod_key("a")));
    SECTION("the namespace is being deleted") {
        delete_namespace(cluster);
    }
    SECTION("the LocalQueue is deleted") {
        cluster.remove({kind_of<api::LocalQueue>(), "team", "main"});
    }
    SECTION("the Workload is deactivated") {
        cluster.merge(group_workload(), "{'spec':{'active':false}}");
    }
    SECTION("the Workload is deleted") {
        cluster.remove(group_workload());
    }
    cluster.settle();
    CHECK(are_gone(cluster));
}

TEST_CASE("a group that is deactivated says why it waits before its pods go", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 4)));
    run_two(cluster);
    cluster.merge(group_workload(), "{'spec':{'active':false}}");
    cluster.settle();
    end_pods(cluster, "Failed");
    CHECK(are_gone(cluster));
    CHECK(cluster.condition("team", "train", "QuotaReserved").starts_with("False"));
    CHECK(cluster.condition("team", "train", "WaitingForReplacementPods") == "True/Deactivated");
}

TEST_CASE("pods that run in a namespace that is deleted keep their finalizer", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 4)));
    run_two(cluster);
    delete_namespace(cluster);
    CHECK(holds_pod(cluster, "a"));
    delete_pod(cluster, "a");
    delete_pod(cluster, "b");
    cluster.settle();
    CHECK(holds_pod(cluster, "a"));
    set_pod_status(cluster, "a", "'phase':'Failed'");
    cluster.settle();
    CHECK_FALSE(is_there(cluster, pod_key("a")));
    CHECK(holds_pod(cluster, "b"));
    set_pod_status(cluster, "b", "'phase':'Succeeded'");
    cluster.settle();
    CHECK(are_gone(cluster));
}

TEST_CASE("a group ends when its pods have ended, whatever total one of them says", "[bypass]") {
    MiniCluster cluster;
    start_with_pods(cluster);
    put_pod(cluster, group_pod("p-1", 2));
    put_pod(cluster, group_pod("p-2", 2));
    cluster.settle();
    run_pod(cluster, "p-1");
    run_pod(cluster, "p-2");
    cluster.settle();
    put_pod(cluster, group_pod("a-1", 1, "r9"));
    set_pod_status(cluster, "p-1", "'phase':'Succeeded'");
    cluster.settle();
    CHECK(cluster.condition("team", "train", "Finished").empty());
    CHECK(holds_pod(cluster, "p-2"));
    set_pod_status(cluster, "p-2", "'phase':'Succeeded'");
    cluster.settle();
    CHECK(cluster.condition("team", "train", "QuotaReserved").starts_with("True"));
}

TEST_CASE("an evicted pod of a controller does not wait for one of its name", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 4)));
    const bool serves = GENERATE(false, true);
    if (serves) {
        run_two(cluster, {{"kueue.x-k8s.io/pod-group-serving", "true"}});
    } else {
        run_two(cluster, {}, kOwner);
    }
    preempt(cluster);
    CHECK(holds_pod(cluster, "a"));  // its containers have not ended
    set_pod_status(cluster, "a", "'phase':'Failed'");
    cluster.settle();
    CHECK_FALSE(is_there(cluster, pod_key("a")));
    CHECK(holds_pod(cluster, "b"));

    PodText again = group_pod("a", 2);
    if (serves) {
        again.annotations["kueue.x-k8s.io/pod-group-serving"] = "true";
    }
    put_pod(cluster, again);
    set_pod_status(cluster, "b", "'phase':'Succeeded'");
    cluster.settle();
    CHECK_FALSE(is_there(cluster, pod_key("b")));
    again.name = "b";
    put_pod(cluster, again);
    complete(cluster, "urgent");
    cluster.settle();
    CHECK_FALSE(is_pod_gated(cluster, "a"));
    CHECK_FALSE(is_pod_gated(cluster, "b"));
}

TEST_CASE("a succeeded pod that its controller deletes counts for its group", "[controller]") {
    MiniCluster cluster;
    run_two(cluster, {}, kOwner);
    set_pod_status(cluster, "a", "'phase':'Succeeded'");
    delete_pod(cluster, "a");
    cluster.settle();
    CHECK(holds_pod(cluster, "a"));
    set_pod_status(cluster, "b", "'phase':'Succeeded'");
    cluster.settle();
    CHECK(cluster.condition("team", "train", "Finished") == "True/Succeeded");
    CHECK_FALSE(is_there(cluster, pod_key("a")));
}

}  // namespace sluice::controller
