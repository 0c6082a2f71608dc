#include "api/core/apps.hpp"
#include "controller/kinds/builtin_kinds.hpp"
#include "controller/queued_jobs.hpp"
#include "controller/queued_pods.hpp"
#include "controller/serving_samples.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <algorithm>
#include <string>

// StatefulSets, whose pods are one group with a Workload that is made beforehand.
namespace sluice::controller {
namespace {

std::string condition(const MiniCluster& cluster, std::string_view type) {
    return cluster.condition("team", workload_of_set(cluster, "web").name, type);
}

/// It has so many pods, all of which run.
void run_set(MiniCluster& cluster, int replicas) {
    put_stateful_set(cluster, "web", replicas);
    for (int i = 0; i < replicas; ++i) {
        put_pod_of_set(cluster, "web", i);
        cluster.settle();
        run_pod(cluster, "web-" + std::to_string(i));
    }
    cluster.settle();
}

std::string annotation(const MiniCluster& cluster, std::string_view pod, std::string_view key) {
    return cluster.at(
        pod_key(pod), {"metadata", "annotations", "kueue.x-k8s.io/" + std::string(key)}
    );
}

}  // namespace

TEST_CASE("a StatefulSet gets one Workload, and its pods start as they come", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 8)));
    start_serving(cluster);
    put_stateful_set(cluster, "web", 3);
    cluster.settle();
    const ObjectKey workload = workload_of_set(cluster, "web");
    REQUIRE(is_there(cluster, workload));
    CHECK(condition(cluster, "Admitted") == "True/Admitted");
    CHECK(
        cluster.at(workload, {"metadata", "ownerReferences"}).find("controller") ==
        std::string::npos
    );
    CHECK(
        cluster.at(workload, {"metadata", "annotations", "kueue.x-k8s.io/job-owner-gvk"}) ==
        "apps/v1, Kind=StatefulSet"
    );
    CHECK(
        cluster.at(workload, {"metadata", "annotations", "kueue.x-k8s.io/job-owner-name"}) == "web"
    );
    const json::Value& pod_set =
        cluster.find(workload)->find_path({"spec", "podSets"})->as_array().front();
    CHECK(pod_set.string_at("name") == "main");
    CHECK(pod_set.find("count")->as_int() == 3);
    CHECK(pod_set.find_path({"template", "metadata"}) == nullptr);
    CHECK(has_event(cluster, "CreatedWorkload", "Created Workload: team/" + workload.name));

    put_pod_of_set(cluster, "web", 0);
    cluster.settle();
    CHECK_FALSE(is_pod_gated(cluster, "web-0"));
    CHECK(cluster.at(pod_key("web-0"), {"spec", "nodeSelector"}) == R"({"tier":"spot"})");
    CHECK(cluster.at(pod_key("web-0"), {"metadata", "labels", "kueue.x-k8s.io/managed"}) == "true");
    CHECK(
        cluster.at(pod_key("web-0"), {"metadata", "labels", "kueue.x-k8s.io/queue-name"}) == "main"
    );
    CHECK(annotation(cluster, "web-0", "pod-group-name") == workload.name);
    CHECK(annotation(cluster, "web-0", "prebuilt-workload-name") == workload.name);
    CHECK(annotation(cluster, "web-0", "pod-group-total-count") == "3");
    CHECK(annotation(cluster, "web-0", "pod-group-fast-admission") == "true");
    CHECK(annotation(cluster, "web-0", "pod-group-serving") == "true");
    CHECK(annotation(cluster, "web-0", "role-hash") == "main");
    CHECK(
        annotation(cluster, "web-0", "pod-group-pod-index-label") == "apps.kubernetes.io/pod-index"
    );
    CHECK_FALSE(holds_pod(cluster, "web-0"));
    CHECK(
        cluster.find(workload)->find_path({"metadata", "ownerReferences"})->as_array().size() == 2
    );
}

TEST_CASE("pods of a StatefulSet start at once when answers come last", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 4)));
    cluster.answers_come_last = true;
    start_serving(cluster);
    put_stateful_set(cluster, "web", 3);
    for (int i = 0; i < 3; ++i) {
        put_pod_of_set(cluster, "web", i);
    }
    cluster.settle();
    for (int i = 0; i < 3; ++i) {
        CHECK_FALSE(is_pod_gated(cluster, "web-" + std::to_string(i)));
    }
}

TEST_CASE("a StatefulSet says what gates its Workload, and its pods do not", "[controller]") {
    MiniCluster cluster;
    start_serving(cluster);
    put_stateful_set(cluster, "web", 1);
    put_pod_of_set(cluster, "web", 0);
    const auto gate = [&cluster](std::string_view value) {
        cluster.merge(
            stateful_set_key("web"),
            "{'metadata':{'annotations':{'kueue.x-k8s.io/admission-gated-by':" +
                std::string(value) + "}}}"
        );
        cluster.settle();
    };
    gate("'example.com/gate'");
    const ObjectKey workload = workload_of_set(cluster, "web");
    const auto told = [&] {
        return cluster.at(
            workload, {"metadata", "annotations", "kueue.x-k8s.io/admission-gated-by"}
        );
    };
    CHECK(told() == "example.com/gate");
    CHECK(std::ranges::count(cluster.events, "UpdatedWorkload", &EventNote::reason) == 0);
    gate("null");
    CHECK(told().empty());
}

TEST_CASE("a StatefulSet that does not fit waits with its pods", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 8)));
    start_serving(cluster);
    cluster.put(job("busy", 2));
    cluster.settle();
    put_stateful_set(cluster, "web", 3);
    put_pod_of_set(cluster, "web", 0);
    cluster.settle();
    CHECK(condition(cluster, "QuotaReserved").starts_with("False/"));
    CHECK(is_pod_gated(cluster, "web-0"));
    complete(cluster, "busy");
    cluster.settle();
    CHECK_FALSE(is_pod_gated(cluster, "web-0"));
}

TEST_CASE(
    "a StatefulSet at zero gives its quota back once no pod runs, and comes back", "[controller]"
) {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 8)));
    start_serving(cluster);
    run_set(cluster, 2);
    put_stateful_set(cluster, "web", 0);
    cluster.settle();
    CHECK(condition(cluster, "QuotaReserved") == "True/QuotaReserved");
    delete_pod(cluster, "web-0");
    delete_pod(cluster, "web-1");
    cluster.settle();
    CHECK(condition(cluster, "QuotaReserved") == "False/OnHold");
    CHECK(condition(cluster, "Admitted").starts_with("False/"));
    cluster.put(job("other", 4));
    cluster.settle();
    CHECK(is_running(cluster, "other"));

    put_stateful_set(cluster, "web", 3);
    put_pod_of_set(cluster, "web", 0);
    cluster.settle();
    CHECK(condition(cluster, "QuotaReserved").starts_with("False/"));
    CHECK(condition(cluster, "QuotaReserved") != "False/OnHold");
    CHECK(is_pod_gated(cluster, "web-0"));
    complete(cluster, "other");
    cluster.settle();
    CHECK(condition(cluster, "Admitted") == "True/Admitted");
    CHECK(condition(cluster, "Finished").empty());
    CHECK_FALSE(is_pod_gated(cluster, "web-0"));
    CHECK(annotation(cluster, "web-0", "pod-group-total-count") == "3");
}

TEST_CASE("what waits at zero is not admitted", "[controller]") {
    MiniCluster cluster;
    start_serving(cluster);
    cluster.put(job("busy", 4));
    cluster.settle();
    put_stateful_set(cluster, "web", 2);
    cluster.settle();
    put_stateful_set(cluster, "web", 0);
    cluster.settle();
    complete(cluster, "busy");
    cluster.settle();
    CHECK(condition(cluster, "QuotaReserved") == "False/OnHold");
}

TEST_CASE("more pods than were admitted stay held back", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 8)));
    start_serving(cluster);
    run_set(cluster, 2);
    put_stateful_set(cluster, "web", 3);
    put_pod_of_set(cluster, "web", 2);
    cluster.settle();
    CHECK(is_pod_gated(cluster, "web-2"));
    CHECK_FALSE(is_pod_deleted(cluster, "web-2"));
    CHECK(condition(cluster, "Finished").empty());
    CHECK(condition(cluster, "Admitted") == "True/Admitted");
    // The quota of a pod that goes is its successor's.
    delete_pod(cluster, "web-1");
    cluster.settle();
    CHECK_FALSE(is_pod_gated(cluster, "web-2"));
}

TEST_CASE("a role that a tenant writes on a pod ends no StatefulSet's Workload", "[bypass]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 8)));
    start_serving(cluster);
    run_set(cluster, 2);
    put_stateful_set(cluster, "web", 3);
    put_pod_of_set(cluster, "web", 2);
    cluster.settle();
    const std::string pod = GENERATE("web-0", "web-1", "web-2");
    cluster.merge(
        pod_key(pod), "{'metadata':{'annotations':{'kueue.x-k8s.io/role-hash':'another'}}}"
    );
    cluster.settle();
    CHECK(condition(cluster, "Finished").empty());
    CHECK(condition(cluster, "Admitted") == "True/Admitted");
    CHECK(annotation(cluster, pod, "role-hash") == "main");
    CHECK_FALSE(is_pod_deleted(cluster, "web-0"));
    CHECK_FALSE(is_pod_deleted(cluster, "web-1"));
}

TEST_CASE("an evicted StatefulSet loses its pods, and its new ones wait", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 8)));
    start_serving(cluster);
    run_set(cluster, 2);
    cluster.merge(
        {kind_of<api::ClusterQueue>(), "", "cq"}, "{'spec':{'stopPolicy':'HoldAndDrain'}}"
    );
    cluster.settle();
    CHECK(is_pod_deleted(cluster, "web-0"));
    CHECK(is_pod_deleted(cluster, "web-1"));
    CHECK(condition(cluster, "QuotaReserved").starts_with("False/"));
    put_pod_of_set(cluster, "web", 0);
    cluster.settle();
    CHECK(is_pod_gated(cluster, "web-0"));
    cluster.merge({kind_of<api::ClusterQueue>(), "", "cq"}, "{'spec':{'stopPolicy':'None'}}");
    cluster.settle();
}

TEST_CASE("a rollout replaces held pods of the old revision", "[controller]") {
    MiniCluster cluster;
    start_serving(cluster);
    cluster.put(job("busy", 4));
    cluster.settle();
    put_stateful_set(cluster, "web", 2);
    put_pod_of_set(cluster, "web", 0, "r1");
    put_pod_of_set(cluster, "web", 1, "r2");
    set_status(cluster, stateful_set_key("web"), "'currentRevision':'r1','updateRevision':'r2'");
    cluster.settle();
    CHECK((!is_there(cluster, pod_key("web-0")) || is_pod_deleted(cluster, "web-0")));
    CHECK(is_pod_gated(cluster, "web-1"));
}

TEST_CASE("a rollout deletes no held pods that it leaves alone", "[controller]") {
    MiniCluster cluster;
    start_serving(cluster);
    cluster.put(job("busy", 4));
    cluster.settle();
    put_stateful_set(cluster, "web", 2);
    cluster.merge(
        stateful_set_key("web"),
        GENERATE(
            "{'spec':{'updateStrategy':{'type':'RollingUpdate','rollingUpdate':{'partition':1}}}}",
            "{'spec':{'updateStrategy':{'type':'OnDelete'}}}"
        )
    );
    put_pod_of_set(cluster, "web", 0, "r1");
    set_status(cluster, stateful_set_key("web"), "'currentRevision':'r1','updateRevision':'r2'");
    cluster.settle();
    CHECK(is_pod_gated(cluster, "web-0"));
    CHECK_FALSE(is_pod_deleted(cluster, "web-0"));
}

TEST_CASE("a StatefulSet that moves to another queue takes its Workload and pods", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 8)));
    start_serving(cluster);
    cluster.put(job("busy", 4));
    cluster.settle();
    put_stateful_set(cluster, "web", 2);
    put_pod_of_set(cluster, "web", 0);
    cluster.settle();
    cluster.merge(
        stateful_set_key("web"), "{'metadata':{'labels':{'kueue.x-k8s.io/queue-name':'other'}}}"
    );
    cluster.settle();
    CHECK(cluster.at(workload_of_set(cluster, "web"), {"spec", "queueName"}) == "other");
    CHECK(
        cluster.at(pod_key("web-0"), {"metadata", "labels", "kueue.x-k8s.io/queue-name"}) == "other"
    );
}

TEST_CASE("StatefulSets that are nobody's concern have no Workload", "[controller]") {
    MiniCluster cluster;
    start_serving(cluster);
    put_stateful_set(cluster, "web", 2);
    const ObjectKey key = stateful_set_key("web");
    SECTION("without a queue") {
        cluster.merge(key, "{'metadata':{'labels':null}}");
    }
    SECTION("without pods") {
        cluster.merge(key, "{'spec':{'replicas':0}}");
    }
    SECTION("of a LeaderWorkerSet") {
        cluster.merge(
            key,
            "{'spec':{'template':{'metadata':{'annotations':{'kueue.x-k8s.io/pod-suspending-parent'"
            ":'leaderworkerset.x-k8s.io/leaderworkerset'}}}}}"
        );
    }
    SECTION("as the copy of one in another cluster") {
        cluster.merge(
            key, "{'metadata':{'labels':{'kueue.x-k8s.io/multikueue-origin':'manager'}}}"
        );
    }
    cluster.settle();
    CHECK_FALSE(is_there(cluster, workload_of_set(cluster, "web")));
}

TEST_CASE("a deleted StatefulSet leaves nothing that holds quota", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 8)));
    start_serving(cluster);
    run_set(cluster, 2);
    const ObjectKey workload = workload_of_set(cluster, "web");
    cluster.remove(stateful_set_key("web"));
    delete_pod(cluster, "web-0");
    delete_pod(cluster, "web-1");
    cluster.settle();
    // The garbage collector deletes it, as none of its owners is there.
    cluster.remove(workload);
    cluster.settle();
    CHECK_FALSE(is_there(cluster, workload));
}

TEST_CASE("a StatefulSet goes on after a restart at any moment", "[controller]") {
    MiniCluster cluster(GENERATE(range<std::uint64_t>(1, 40)));
    start_serving(cluster);
    const int steps = GENERATE(range(1, 30, 4));
    put_stateful_set(cluster, "web", 2);
    put_pod_of_set(cluster, "web", 0);
    put_pod_of_set(cluster, "web", 1);
    for (int i = 0; i < steps && cluster.tick(); ++i) {
    }
    cluster.restart();
    cluster.settle();
    CHECK_FALSE(is_pod_gated(cluster, "web-0"));
    CHECK_FALSE(is_pod_gated(cluster, "web-1"));
}

}  // namespace sluice::controller
