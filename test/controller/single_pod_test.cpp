#include "controller/queued_jobs.hpp"
#include "controller/queued_pods.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <algorithm>
#include <string>

// Pods that are jobs by themselves.
namespace sluice::controller {

TEST_CASE("a pod is held, starts on its flavor, and ends", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 8)));
    start_with_pods(cluster);
    put_pod(cluster, {.name = "a", .labels = {}, .annotations = {}});
    cluster.settle();

    const ObjectKey workload = workload_key(cluster, "a");
    REQUIRE(workload.name.starts_with("pod-a-"));
    CHECK(cluster.condition("team", workload.name, "Admitted") == "True/Admitted");
    CHECK_FALSE(is_pod_gated(cluster, "a"));
    CHECK(cluster.at(pod_key("a"), {"spec", "nodeSelector"}) == R"({"tier":"spot"})");
    CHECK(cluster.at(pod_key("a"), {"spec", "tolerations"}).find("spot") != std::string::npos);
    CHECK(cluster.at(pod_key("a"), {"metadata", "labels", "kueue.x-k8s.io/podset"}) == "main");
    CHECK(has_event(cluster, "CreatedWorkload", "Created Workload: team/" + workload.name));
    CHECK(has_event(cluster, "Started", "Admitted by clusterQueue cq"));
    // The whole spec is what is admitted, and nothing of the metadata.
    const std::string pod_sets = cluster.at(workload, {"spec", "podSets"});
    CHECK(pod_sets.find("kueue.x-k8s.io/admission") != std::string::npos);
    CHECK(pod_sets.find("queue-name") == std::string::npos);
    CHECK(pod_sets.find("pod-group-pod-index") != std::string::npos);

    run_pod(cluster, "a");
    cluster.settle();
    CHECK(holds_pod(cluster, "a"));
    SECTION("successfully") {
        set_pod_status(cluster, "a", "'phase':'Succeeded','message':'done'");
        cluster.settle();
        CHECK(cluster.condition("team", workload.name, "Finished") == "True/Succeeded");
    }
    SECTION("or not") {
        set_pod_status(cluster, "a", "'phase':'Failed'");
        cluster.settle();
        CHECK(cluster.condition("team", workload.name, "Finished") == "True/Failed");
    }
    CHECK_FALSE(holds_pod(cluster, "a"));
    CHECK(cluster.at(workload, {"metadata", "finalizers"}).empty());
}

TEST_CASE("a pod that does not fit stays gated until there is quota", "[controller]") {
    MiniCluster cluster;
    start_with_pods(cluster);
    put_pod(cluster, {.name = "a", .cpu = "3", .labels = {}, .annotations = {}});
    cluster.settle();
    put_pod(cluster, {.name = "b", .cpu = "3", .labels = {}, .annotations = {}});
    cluster.settle();
    CHECK_FALSE(is_pod_gated(cluster, "a"));
    CHECK(is_pod_gated(cluster, "b"));
    set_pod_status(cluster, "a", "'phase':'Succeeded'");
    cluster.settle();
    CHECK_FALSE(is_pod_gated(cluster, "b"));
}

TEST_CASE("a pod that is evicted holds its quota until it has ended", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 8)));
    start_with_pods(cluster);
    put_pod(cluster, {.name = "a", .labels = {}, .annotations = {}});
    cluster.settle();
    run_pod(cluster, "a");
    cluster.settle();
    const ObjectKey workload = workload_key(cluster, "a");
    cluster.merge(workload, "{'spec':{'active':false}}");
    cluster.settle();
    CHECK_FALSE(is_there(cluster, pod_key("a")));
    CHECK(has_event(cluster, "Stopped", "The workload is deactivated"));
    const auto marked = std::ranges::find(cluster.writes, Verb::ApplyStatus, [](const Write& w) {
        return w.object.kind == kind_of<api::Pod>() ? w.verb : Verb::Create;
    });
    REQUIRE(marked != cluster.writes.end());
    CHECK(json::print(marked->body).find("WorkloadEvictedDueToDeactivated") != std::string::npos);
    CHECK(cluster.condition("team", workload.name, "Finished") == "True/OwnerNotFound");
    const auto released = std::ranges::find_if(cluster.writes, [&workload](const Write& w) {
        return w.object == workload &&
               json::print(w.body).find("OwnerNotFound") != std::string::npos;
    });
    const auto deleted = std::ranges::find_if(cluster.writes, [](const Write& w) {
        return w.object == pod_key("a") && w.verb == Verb::Delete;
    });
    CHECK(deleted < released);
    CHECK(cluster.at(workload, {"metadata", "finalizers"}).empty());
}

TEST_CASE("a deleted pod is let go, whenever that is", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 4)));
    const int stage = GENERATE(0, 1, 2, 3, 4, 5);
    start_with_pods(cluster);
    put_pod(cluster, {.name = "big", .cpu = "4", .labels = {}, .annotations = {}});
    cluster.settle();
    put_pod(cluster, {.name = "a", .cpu = "4", .labels = {}, .annotations = {}});
    if (stage >= 1) {
        cluster.settle();  // it waits
    }
    if (stage >= 2) {
        delete_pod(cluster, "big");
        cluster.settle();  // it is started
    }
    if (stage >= 3) {
        run_pod(cluster, "a");
        cluster.settle();
    }
    if (stage >= 4) {
        set_pod_status(cluster, "a", "'phase':'Failed'");
    }
    if (stage == 5) {
        cluster.restart();
    }
    delete_pod(cluster, "a");
    cluster.settle();
    CHECK_FALSE(is_there(cluster, pod_key("a")));
    for (const ObjectKey& workload : cluster.workloads_of("team", "a")) {
        CHECK(cluster.condition("team", workload.name, "Finished").starts_with("True"));
        CHECK(cluster.at(workload, {"metadata", "finalizers"}).empty());
    }
}

TEST_CASE("the end of its Workload ends the pod", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 8)));
    start_with_pods(cluster);
    put_pod(cluster, {.name = "a", .labels = {}, .annotations = {}});
    cluster.settle();
    cluster.remove(workload_key(cluster, "a"));
    cluster.settle();
    CHECK_FALSE(is_there(cluster, pod_key("a")));
    CHECK(has_event(cluster, "Stopped", "Workload is deleted"));
}

TEST_CASE("a pod that runs without a Workload is stopped", "[controller]") {
    MiniCluster cluster;
    start_with_pods(cluster);
    put_pod(cluster, {.name = "a", .labels = {}, .annotations = {}});
    cluster.merge(pod_key("a"), "{'spec':{'schedulingGates':null}}");
    cluster.settle();
    CHECK_FALSE(is_there(cluster, pod_key("a")));
}

TEST_CASE("pods that are not managed are not touched", "[controller]") {
    MiniCluster cluster;
    start_with_pods(cluster);
    put_pod(cluster, {.name = "plain", .labels = {}, .annotations = {}, .is_managed = false});
    put_pod(
        cluster,
        {.name = "queued",
         .labels = {{"kueue.x-k8s.io/queue-name", "main"}},
         .annotations = {},
         .is_managed = false}
    );
    cluster.settle();
    const auto concerns_pod = [](const Write& write) {
        return write.object.kind == kind_of<api::Pod>();
    };
    CHECK(std::ranges::none_of(cluster.writes, concerns_pod));
    CHECK(cluster.workloads_of("team", "plain").empty());
    CHECK(cluster.workloads_of("team", "queued").empty());
}

TEST_CASE("where only other frameworks turned pods on, other pods are left alone", "[controller]") {
    Settings settings;
    settings.manages_held_pods_alone = true;
    MiniCluster cluster(1, {}, settings);
    start_with_pods(cluster);
    PodText held{.name = "held", .labels = {}, .annotations = {}};
    held.annotations["kueue.x-k8s.io/pod-suspending-parent"] = "deployment";
    put_pod(cluster, held);
    put_pod(cluster, {.name = "other", .labels = {}, .annotations = {}});
    cluster.settle();
    CHECK_FALSE(is_pod_gated(cluster, "held"));
    INFO(json::print(*cluster.find(pod_key("other"))));
    CHECK(is_pod_gated(cluster, "other"));
}

}  // namespace sluice::controller
