#include "controller/queued_jobs.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

// Topologies and AdmissionChecks: what is in use, and whether anybody serves it.
namespace sluice::controller {
namespace {

const ObjectKey kTopology{kind_of<api::Topology>(), "", "t"};
const ObjectKey kFlavor{kind_of<api::ResourceFlavor>(), "", "tas"};
const ObjectKey kCheck{kind_of<api::AdmissionCheck>(), "", "c"};

bool is_held(const MiniCluster& cluster, const ObjectKey& key) {
    return cluster.at(key, {"metadata", "finalizers"}).find("resource-in-use") != std::string::npos;
}

std::string conditions_of(const MiniCluster& cluster, const ObjectKey& key) {
    return cluster.at(key, {"status", "conditions"});
}

void put_check(MiniCluster& cluster, const std::string& controller, const std::string& active) {
    cluster.put(
        "{'kind':'AdmissionCheck','metadata':{'name':'c'},'spec':{'controllerName':'" + controller +
        "'}" + active + "}"
    );
    cluster.settle();
}

std::string active(const std::string& status, const std::string& message) {
    return ",'status':{'conditions':[{'type':'Active','status':'" + status +
           "','reason':'Active','message':'" + message +
           "','lastTransitionTime':'2020-01-01T00:00:00Z'}]}";
}

}  // namespace

TEST_CASE("a Topology stays until no flavor names it", "[controller][topology]") {
    MiniCluster cluster;
    cluster.put("{'kind':'Topology','metadata':{'name':'t'},'spec':{'levels':[{'nodeLabel':'r'}]}}"
    );
    cluster.settle();
    REQUIRE(is_held(cluster, kTopology));
    SECTION("which none does") {
        cluster.remove(kTopology);
        cluster.settle();
        CHECK(cluster.find(kTopology) == nullptr);
    }
    SECTION("which one does for a while") {
        cluster.put(
            "{'kind':'ResourceFlavor','metadata':{'name':'tas'},"
            "'spec':{'nodeLabels':{'pool':'a'},'topologyName':'t'}}"
        );
        cluster.settle();
        cluster.remove(kTopology);
        cluster.settle();
        REQUIRE(cluster.find(kTopology) != nullptr);
        cluster.remove(kFlavor);
        cluster.settle();
        CHECK(cluster.find(kFlavor) == nullptr);
        CHECK(cluster.find(kTopology) == nullptr);
    }
}

TEST_CASE("a check that nobody serves is inactive and says why", "[controller][checks]") {
    MiniCluster cluster;
    SECTION("a controller that is not there") {
        put_check(cluster, "example.com/typo", "");
        const std::string conditions = conditions_of(cluster, kCheck);
        CHECK(conditions.find("ControllerNotAvailable") != std::string::npos);
        CHECK(conditions.find("example.com/typo") != std::string::npos);
    }
    SECTION("one of Kueue's that Kueue left active") {
        put_check(
            cluster, "kueue.x-k8s.io/multikueue", active("True", "The admission check is active")
        );
        const std::string conditions = conditions_of(cluster, kCheck);
        CHECK(conditions.find("ControllerNotAvailable") != std::string::npos);
        CHECK(conditions.find("does not run the controller") != std::string::npos);
    }
}

TEST_CASE("the condition of a check that somebody serves is left alone", "[controller][checks]") {
    MiniCluster cluster;
    for (const char* status : {"True", "False"}) {
        for (const char* controller : {"example.com/c", "kueue.x-k8s.io/provisioning-request"}) {
            put_check(cluster, controller, active(status, "by its own controller"));
            CHECK(
                conditions_of(cluster, kCheck).find("by its own controller") != std::string::npos
            );
        }
    }
}

TEST_CASE("pods of a copy that a manager made are marked", "[controller][multikueue]") {
    MiniCluster cluster;
    make_queues(cluster);
    const ObjectKey queue{kind_of<api::ClusterQueue>(), "", "cq"};
    cluster.merge(queue, "{'spec':{'stopPolicy':'Hold'}}");
    cluster.put(job("sample", 1));
    cluster.settle();
    cluster.merge(
        workload_key(cluster, "sample"),
        "{'metadata':{'labels':{'kueue.x-k8s.io/multikueue-origin':'manager'}}}"
    );
    cluster.merge(queue, "{'spec':{'stopPolicy':'None'}}");
    cluster.settle();
    REQUIRE(is_running(cluster, "sample"));
    const auto label = [&](std::string_view name) {
        return cluster.at(job_key("sample"), {"spec", "template", "metadata", "labels", name});
    };
    CHECK(label("kueue.x-k8s.io/multikueue-worker-workload-pod") == "true");
    CHECK(label("kueue.x-k8s.io/podset") == "main");
}

}  // namespace sluice::controller
