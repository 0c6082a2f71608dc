#include "controller/queued_jobs.hpp"
#include "controller/queued_pods.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <algorithm>
#include <string>
#include <vector>

// Groups of pods, which are admitted together.
namespace sluice::controller {
namespace {

constexpr const char* kWaiting = "WaitingForReplacementPods";

/// A group of the pods a and b is there.
void put_two(MiniCluster& cluster) {
    start_with_pods(cluster);
    put_pod(cluster, group_pod("a", 2));
    put_pod(cluster, group_pod("b", 2, "r2"));
    cluster.settle();
}

/// The same until both run.
void run_two(MiniCluster& cluster) {
    put_two(cluster);
    run_pod(cluster, "a");
    run_pod(cluster, "b");
    cluster.settle();
}

std::string condition(const MiniCluster& cluster, std::string_view type) {
    return cluster.condition("team", "train", type);
}

/// The garbage collector: a Workload without owners goes.
void collect_garbage(MiniCluster& cluster) {
    const json::Value* workload = cluster.find(group_workload());
    if (workload == nullptr) {
        return;
    }
    for (const json::Value& owner :
         workload->find_path({"metadata", "ownerReferences"})->as_array()) {
        if (is_there(cluster, pod_key(owner.string_at("name")))) {
            return;
        }
    }
    cluster.remove(group_workload());
    cluster.settle();
}

}  // namespace

TEST_CASE(
    "a group is admitted when it is complete, and ends when all have succeeded", "[controller]"
) {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 8)));
    start_with_pods(cluster);
    put_pod(cluster, group_pod("a", 2));
    cluster.settle();
    CHECK_FALSE(is_there(cluster, group_workload()));
    CHECK(has_event(
        cluster, "ErrWorkloadCompose", "'train' group has fewer runnable pods than expected"
    ));
    put_pod(cluster, group_pod("b", 2, "r2"));
    cluster.settle();

    CHECK(condition(cluster, "Admitted") == "True/Admitted");
    CHECK_FALSE(is_pod_gated(cluster, "a"));
    CHECK_FALSE(is_pod_gated(cluster, "b"));
    CHECK(cluster.at(pod_key("b"), {"spec", "nodeSelector"}) == R"({"tier":"spot"})");
    CHECK(cluster.at(pod_key("b"), {"metadata", "labels", "kueue.x-k8s.io/podset"}) == "r2");
    const json::Value& workload = *cluster.find(group_workload());
    const auto& owners = workload.find_path({"metadata", "ownerReferences"})->as_array();
    REQUIRE(owners.size() == 2);
    CHECK(owners[0].find("controller") == nullptr);
    CHECK(workload.find_path({"metadata", "labels"}) == nullptr);
    CHECK(
        cluster.at(
            group_workload(), {"metadata", "annotations", "kueue.x-k8s.io/is-group-workload"}
        ) == "true"
    );
    CHECK(workload.find_path({"spec", "podSets"})->as_array().size() == 2);

    run_pod(cluster, "a");
    run_pod(cluster, "b");
    set_pod_status(cluster, "a", "'phase':'Succeeded'");
    cluster.settle();
    CHECK(
        cluster.at(group_workload(), {"status", "reclaimablePods"}) ==
        R"([{"name":"r1","count":1}])"
    );
    CHECK(condition(cluster, "Finished").empty());
    set_pod_status(cluster, "b", "'phase':'Succeeded'");
    cluster.settle();
    CHECK(condition(cluster, "Finished") == "True/Succeeded");
    CHECK_FALSE(holds_pod(cluster, "a"));
    CHECK_FALSE(holds_pod(cluster, "b"));
    CHECK(cluster.at(group_workload(), {"metadata", "finalizers"}).empty());
}

TEST_CASE("a group that contradicts itself gets no Workload", "[controller]") {
    MiniCluster cluster;
    start_with_pods(cluster);
    put_pod(cluster, group_pod("a", 2));
    PodText other = group_pod("b", 2);
    SECTION("in its queue") {
        other.labels["kueue.x-k8s.io/queue-name"] = "other";
    }
    SECTION("in its size") {
        other.annotations["kueue.x-k8s.io/pod-group-total-count"] = "3";
    }
    SECTION("in that one does not say its size") {
        other.annotations["kueue.x-k8s.io/pod-group-total-count"] = "x";
    }
    put_pod(cluster, other);
    cluster.settle();
    CHECK_FALSE(is_there(cluster, group_workload()));
    CHECK(is_pod_gated(cluster, "a"));
}

TEST_CASE("a group with more roles than a Workload has pod sets waits", "[controller]") {
    MiniCluster cluster;
    start_with_pods(cluster);
    const int roles = GENERATE(18, 19);
    for (int i = 0; i < roles; ++i) {
        PodText pod = group_pod("p" + std::to_string(i), roles, "r" + std::to_string(i));
        pod.cpu = "100m";
        put_pod(cluster, pod);
    }
    cluster.settle();
    CHECK(is_there(cluster, group_workload()) == (roles == 18));
    CHECK(is_pod_gated(cluster, "p0") == (roles == 19));
}

TEST_CASE("a group that serves does not end, and gives nothing back", "[controller]") {
    MiniCluster cluster;
    start_with_pods(cluster);
    for (const char* name : {"a", "b"}) {
        PodText pod = group_pod(name, 2);
        pod.annotations["kueue.x-k8s.io/pod-group-serving"] = "true";
        put_pod(cluster, pod);
    }
    cluster.settle();
    run_pod(cluster, "a");
    run_pod(cluster, "b");
    set_pod_status(cluster, "a", "'phase':'Succeeded'");
    cluster.settle();
    CHECK(cluster.at(group_workload(), {"status", "reclaimablePods"}).empty());
    set_pod_status(cluster, "b", "'phase':'Succeeded'");
    cluster.settle();
    CHECK(condition(cluster, "Finished").empty());
    CHECK(condition(cluster, "Admitted") == "True/Admitted");
}

TEST_CASE(
    "pods that are being deleted give quota back at once, if that is wanted", "[controller]"
) {
    Settings settings;
    settings.fast_quota_release_of_pods = GENERATE(false, true);
    MiniCluster cluster(1, {}, settings);
    run_two(cluster);
    cluster.merge(pod_key("a"), "{'metadata':{'deletionGracePeriodSeconds':60}}");
    cluster.merge(pod_key("b"), "{'metadata':{'deletionGracePeriodSeconds':60}}");
    cluster.merge(
        {kind_of<api::ClusterQueue>(), "", "cq"}, "{'spec':{'stopPolicy':'HoldAndDrain'}}"
    );
    cluster.settle();
    CHECK(is_pod_deleted(cluster, "a"));
    CHECK(
        condition(cluster, "QuotaReserved").starts_with("False/") ==
        settings.fast_quota_release_of_pods
    );
}

TEST_CASE(
    "a prebuilt Workload stands for a group, and starts as many as it counts", "[controller]"
) {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 8)));
    start_with_pods(cluster);
    cluster.put(
        "{'kind':'Workload','apiVersion':'kueue.x-k8s.io/v1beta2','metadata':{'name':'train',"
        "'namespace':'team','finalizers':['kueue.x-k8s.io/resource-in-use'],'annotations':"
        "{'kueue.x-k8s.io/is-group-workload':'true'}},'spec':{'queueName':'main','active':true,"
        "'podSets':[{'name':'r1','count':2,'template':{'spec':{'containers':[{'name':'c','image':"
        "'i','resources':{'requests':{'cpu':'1'}}}]}}}]}}"
    );
    const auto put = [&cluster](std::string_view name, std::string_view role) {
        PodText pod = group_pod(name, 2, role);
        pod.annotations["kueue.x-k8s.io/prebuilt-workload-name"] = "train";
        pod.annotations["kueue.x-k8s.io/pod-group-fast-admission"] = "true";
        put_pod(cluster, pod);
        cluster.settle();
    };
    SECTION("and no more") {
        for (const char* name : {"a", "b", "c"}) {
            put(name, "r1");
        }
        CHECK_FALSE(is_pod_gated(cluster, "a"));
        CHECK_FALSE(is_pod_gated(cluster, "b"));
        CHECK(is_pod_gated(cluster, "c"));
        CHECK_FALSE(is_pod_deleted(cluster, "c"));
    }
    SECTION("unless its pods have another role") {
        put("a", "r2");
        CHECK(condition(cluster, "Finished") == "True/OutOfSync");
        CHECK(is_pod_gated(cluster, "a"));
    }
}

TEST_CASE("fast admission counts pods that are yet to come", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 8)));
    start_with_pods(cluster);
    for (const char* name : {"a", "b", "c"}) {
        PodText pod = group_pod(name, 3);
        pod.annotations["kueue.x-k8s.io/pod-group-fast-admission"] = "true";
        put_pod(cluster, pod);
        cluster.settle();
        CHECK_FALSE(is_pod_gated(cluster, name));
        CHECK(
            cluster.find(group_workload())
                ->find_path({"metadata", "ownerReferences"})
                ->as_array()
                .size() == static_cast<std::size_t>(name[0] - 'a' + 1)
        );
    }
    CHECK(condition(cluster, kWaiting).empty());
}

TEST_CASE("pods that are too many are deleted, those that run least of all", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 8)));
    run_two(cluster);
    cluster.clock.advance(std::chrono::minutes(1));
    put_pod(cluster, group_pod("0-late", 2));
    cluster.settle();
    CHECK_FALSE(is_there(cluster, pod_key("0-late")));
    // One write takes the finalizer away, the next deletes.
    std::vector<Verb> verbs;
    for (const Write& write : cluster.writes) {
        if (write.object == pod_key("0-late")) {
            verbs.push_back(write.verb);
        }
    }
    CHECK(verbs == std::vector{Verb::MergePatch, Verb::Delete});
    CHECK_FALSE(is_pod_deleted(cluster, "a"));
    CHECK_FALSE(is_pod_deleted(cluster, "b"));
    CHECK(has_event(cluster, "ExcessPodDeleted", "Excess pod deleted"));
}

TEST_CASE("too many at once are deleted before the group has a Workload", "[controller]") {
    MiniCluster cluster;
    start_with_pods(cluster);
    for (const char* name : {"a", "b", "c"}) {
        cluster.clock.advance(std::chrono::minutes(1));
        put_pod(cluster, group_pod(name, 2));
    }
    cluster.settle();
    CHECK_FALSE(is_there(cluster, pod_key("c")));
    CHECK_FALSE(is_pod_gated(cluster, "a"));
    CHECK_FALSE(is_pod_gated(cluster, "b"));
}

TEST_CASE("a pod that failed may be replaced", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 8)));
    run_two(cluster);
    set_pod_status(cluster, "a", "'phase':'Failed'");
    cluster.settle();
    CHECK(condition(cluster, kWaiting) == "True/PodsFailed");
    CHECK(holds_pod(cluster, "a"));
    CHECK(condition(cluster, "Finished").empty());

    put_pod(cluster, group_pod("a2", 2));
    cluster.settle();
    CHECK(condition(cluster, kWaiting) == "False/PodsReady");
    CHECK_FALSE(holds_pod(cluster, "a"));
    CHECK_FALSE(is_pod_gated(cluster, "a2"));
    CHECK(has_event(cluster, "OwnerReferencesAdded", "Added 1 owner reference(s)"));
    set_pod_status(cluster, "a2", "'phase':'Succeeded'");
    set_pod_status(cluster, "b", "'phase':'Succeeded'");
    cluster.settle();
    CHECK(condition(cluster, "Finished") == "True/Succeeded");
    CHECK_FALSE(holds_pod(cluster, "a2"));
}

TEST_CASE("a group that may not be retried ends with its pods", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 8)));
    start_with_pods(cluster);
    PodText last = group_pod("a", 2);
    last.annotations["kueue.x-k8s.io/retriable-in-group"] = "false";
    put_pod(cluster, last);
    put_pod(cluster, group_pod("b", 2));
    cluster.settle();
    run_pod(cluster, "a");
    run_pod(cluster, "b");
    set_pod_status(cluster, "a", "'phase':'Failed'");
    cluster.settle();
    CHECK(condition(cluster, "Finished").empty());
    set_pod_status(cluster, "b", "'phase':'Failed'");
    cluster.settle();
    CHECK(condition(cluster, "Finished") == "True/Succeeded");
    CHECK_FALSE(holds_pod(cluster, "a"));
    CHECK_FALSE(holds_pod(cluster, "b"));
}

TEST_CASE(
    "an evicted group gives its quota back when no pod runs, and waits for others", "[controller]"
) {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 8)));
    run_two(cluster);
    cluster.put("{'kind':'WorkloadPriorityClass','metadata':{'name':'high'},'value':1000}");
    cluster.put(job("urgent", 4, ",'kueue.x-k8s.io/priority-class':'high'"));
    cluster.settle(std::chrono::seconds(3));
    CHECK(is_pod_deleted(cluster, "a"));
    CHECK(is_pod_deleted(cluster, "b"));
    CHECK(condition(cluster, "Evicted") == "True/Preempted");
    CHECK(condition(cluster, "QuotaReserved").starts_with("True"));
    set_pod_status(cluster, "a", "'phase':'Failed'");
    set_pod_status(cluster, "b", "'phase':'Failed'");
    cluster.settle();
    CHECK(condition(cluster, "QuotaReserved").starts_with("False"));
    CHECK(condition(cluster, kWaiting) == "True/Preempted");
    CHECK(is_running(cluster, "urgent"));
    complete(cluster, "urgent");
    cluster.settle();
    CHECK(condition(cluster, "QuotaReserved").starts_with("False"));

    put_pod(cluster, group_pod("a2", 2));
    put_pod(cluster, group_pod("b2", 2, "r2"));
    cluster.settle();
    CHECK(condition(cluster, "Admitted").starts_with("True"));
    CHECK_FALSE(is_pod_gated(cluster, "a2"));
    CHECK_FALSE(is_there(cluster, pod_key("a")));
    CHECK_FALSE(is_there(cluster, pod_key("b")));
}

TEST_CASE("a group that no node took waits for other pods after its eviction", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 8)));
    put_two(cluster);
    cluster.put("{'kind':'WorkloadPriorityClass','metadata':{'name':'high'},'value':1000}");
    cluster.put(job("urgent", 4, ",'kueue.x-k8s.io/priority-class':'high'"));
    cluster.settle(std::chrono::seconds(3));
    // Nothing runs that would end later: only their finalizers keep them.
    CHECK(is_pod_deleted(cluster, "a"));
    CHECK(is_pod_deleted(cluster, "b"));
    CHECK(condition(cluster, "QuotaReserved").starts_with("False"));
    CHECK(condition(cluster, kWaiting) == "True/Preempted");
    complete(cluster, "urgent");
    cluster.settle();
    CHECK(condition(cluster, "QuotaReserved").starts_with("False"));

    put_pod(cluster, group_pod("a2", 2));
    put_pod(cluster, group_pod("b2", 2, "r2"));
    cluster.settle();
    CHECK(condition(cluster, kWaiting) == "False/PodsReady");
    CHECK(condition(cluster, "Admitted").starts_with("True"));
    CHECK_FALSE(is_pod_gated(cluster, "a2"));
}

TEST_CASE("the end of its Workload ends a group", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 8)));
    const bool runs = GENERATE(false, true);
    runs ? run_two(cluster) : put_two(cluster);
    cluster.remove(group_workload());
    cluster.settle();
    CHECK_FALSE(is_there(cluster, group_workload()));
    CHECK_FALSE(is_there(cluster, pod_key("a")));
    CHECK_FALSE(is_there(cluster, pod_key("b")));
}

TEST_CASE("a group that its user deletes is let go, whenever that is", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 4)));
    const int stage = GENERATE(0, 1, 2, 3, 4);
    start_with_pods(cluster);
    put_pod(cluster, group_pod("a", stage == 0 ? 3 : 2));
    put_pod(cluster, group_pod("b", stage == 0 ? 3 : 2));
    cluster.settle();
    if (stage >= 2) {
        run_pod(cluster, "a");
        cluster.settle();
    }
    if (stage >= 3) {
        set_pod_status(cluster, "a", "'phase':'Failed'");
        cluster.settle();
    }
    if (stage == 4) {
        cluster.restart();
    }
    delete_pod(cluster, "a");
    delete_pod(cluster, "b");
    cluster.settle();
    if (stage == 2) {
        set_pod_status(cluster, "a", "'phase':'Failed'");  // kubelet ends it
        cluster.settle();
    }
    CHECK_FALSE(is_there(cluster, pod_key("a")));
    CHECK_FALSE(is_there(cluster, pod_key("b")));
    collect_garbage(cluster);
    CHECK_FALSE(is_there(cluster, group_workload()));
}

TEST_CASE("another job's Workload with the group's name is left alone", "[controller]") {
    MiniCluster cluster;
    start_with_pods(cluster);
    cluster.put(
        "{'kind':'Workload','apiVersion':'kueue.x-k8s.io/v1beta2','metadata':{'name':'train',"
        "'namespace':'team'},'spec':{'queueName':'none','podSets':[{'name':'main','count':1,"
        "'template':{'spec':{'containers':[]}}}]}}"
    );
    put_pod(cluster, group_pod("a", 1));
    cluster.settle();
    CHECK(is_pod_gated(cluster, "a"));
    CHECK(has_event(
        cluster,
        "WorkloadNameConflict",
        "A Workload named \"train\" already exists but is not a pod group workload; this pod group "
        "cannot be admitted"
    ));
    SECTION("the pods can be deleted") {
        delete_pod(cluster, "a");
        cluster.settle();
        CHECK_FALSE(is_there(cluster, pod_key("a")));
        CHECK(is_there(cluster, group_workload()));
    }
    SECTION("and when it goes, the group is admitted") {
        cluster.remove(group_workload());
        cluster.settle();
        CHECK_FALSE(is_pod_gated(cluster, "a"));
    }
}

TEST_CASE("a group starts at once when answers come after their echoes", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 4)));
    cluster.answers_come_last = true;
    start_with_pods(cluster);
    put_pod(cluster, group_pod("a", 2));
    put_pod(cluster, group_pod("b", 2, "r2"));
    cluster.settle();
    CHECK_FALSE(is_pod_gated(cluster, "a"));
    CHECK_FALSE(is_pod_gated(cluster, "b"));
}

TEST_CASE("a group goes on after a restart at any moment", "[controller]") {
    const auto ticks = GENERATE(range<int>(0, 60, 3));
    MiniCluster cluster(7);
    start_with_pods(cluster);
    put_pod(cluster, group_pod("a", 2));
    put_pod(cluster, group_pod("b", 2, "r2"));
    for (int i = 0; i < ticks; ++i) {
        cluster.tick();
    }
    cluster.restart();
    cluster.settle();
    CHECK_FALSE(is_pod_gated(cluster, "a"));
    CHECK_FALSE(is_pod_gated(cluster, "b"));
}

}  // namespace sluice::controller
