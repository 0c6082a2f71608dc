#include "cluster_world.hpp"
#include "sim/objects/fields.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <string>
#include <vector>

// What tells the kinds from each other whose controllers make pods.
namespace sluice::test {

using namespace std::chrono_literals;
using sim::find_int;
using sim::list_at;
using sim::text_at;

namespace {

using Names = std::vector<std::string>;

constexpr std::string_view kPod = "{spec: {containers: [{name: c, image: i}]}}";

std::string pod(std::string_view annotations) {
    return "{metadata: {annotations: {" + std::string(annotations) +
           "}}, spec: {containers: [{name: c, image: i}]}}";
}

std::string reason_of(const json::Value& object, std::string_view type) {
    const json::Value* found =
        sim::find_element(list_at(object, {"status", "conditions"}), "type", type);
    return found == nullptr ? std::string()
                            : std::string(found->string_at("status")) + "/" +
                                  std::string(found->string_at("reason"));
}

const std::string kPyTorchJob = "/apis/kubeflow.org/v1/namespaces/default/pytorchjobs/t";

void create_training(ClusterWorld& world, const std::string& master, const std::string& more = "") {
    world.define("kubeflow.org/v1", "PyTorchJob");
    world.create_yaml(
        "{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {name: t}, spec: {" + more +
        "pytorchReplicaSpecs: {Master: {replicas: 1, " + master +
        "}, Worker: {replicas: 2, restartPolicy: OnFailure, template: " + std::string(kPod) + "}}}}"
    );
}

}  // namespace

TEST_CASE(
    "a PyTorchJob has the pods of its replicas, and is over with its master", "[sim][kinds]"
) {
    ClusterWorld world;
    create_training(
        world,
        "template: " + pod("sluice.dev/run-seconds: '5'"),
        "runPolicy: {cleanPodPolicy: Running}, "
    );
    CHECK(world.pod_names() == Names{"t-master-0", "t-worker-0", "t-worker-1"});
    const json::Value worker = world.pods().back();
    const json::Value& labels = *worker.find_path({"metadata", "labels"});
    CHECK(labels.string_at("training.kubeflow.org/job-name") == "t");
    CHECK(labels.string_at("training.kubeflow.org/operator-name") == "pytorchjob-controller");
    CHECK(labels.string_at("training.kubeflow.org/replica-type") == "worker");
    CHECK(labels.string_at("training.kubeflow.org/replica-index") == "1");
    CHECK(text_at(worker, {"spec", "restartPolicy"}) == "OnFailure");
    json::Value job = world.get(kPyTorchJob);
    CHECK(reason_of(job, "Created") == "True/PyTorchJobCreated");
    CHECK(reason_of(job, "Running") == "True/PyTorchJobRunning");
    CHECK(find_int(job, {"status", "replicaStatuses", "Worker", "active"}) == 2);
    world.pass(5s);
    job = world.get(kPyTorchJob);
    CHECK(reason_of(job, "Running") == "False/PyTorchJobSucceeded");
    CHECK(reason_of(job, "Succeeded") == "True/PyTorchJobSucceeded");
    CHECK(find_int(job, {"status", "replicaStatuses", "Master", "succeeded"}) == 1);
    CHECK(world.pod_names() == Names{"t-master-0"});
}

TEST_CASE("a replica that was killed is tried again where its policy says so", "[sim][kinds]") {
    const auto policy = [](std::string_view code) {
        return "restartPolicy: ExitCode, template: " +
               pod("sluice.dev/run-seconds: '5', sluice.dev/exit-code: '" + std::string(code) + "'"
               );
    };
    ClusterWorld world;
    SECTION("killed") {
        create_training(world, policy("137"));
        const std::string uid(text_at(world.pods().front(), {"metadata", "uid"}));
        world.pass(5s);
        CHECK(reason_of(world.get(kPyTorchJob), "Failed").empty());
        CHECK(world.pod_names().front() == "t-master-0");
        CHECK(text_at(world.pods().front(), {"metadata", "uid"}) != uid);
    }
    SECTION("failed by itself") {
        create_training(world, policy("1"));
        world.pass(5s);
        CHECK(reason_of(world.get(kPyTorchJob), "Failed") == "True/PyTorchJobFailed");
    }
}

TEST_CASE("a RayCluster replaces pods, and follows the number of its workers", "[sim][kinds]") {
    ClusterWorld world;
    world.define("ray.io/v1", "RayCluster");
    const std::string path = "/apis/ray.io/v1/namespaces/default/rayclusters/r";
    const auto groups = [](int replicas) {
        return "workerGroupSpecs: [{groupName: g, replicas: " + std::to_string(replicas) +
               ", template: " + std::string(kPod) + "}]";
    };
    world.create_yaml(
        "{apiVersion: ray.io/v1, kind: RayCluster, metadata: {name: r}, spec: {headGroupSpec: "
        "{template: " +
        std::string(kPod) + "}, " + groups(2) + "}}"
    );
    CHECK(world.pod_names() == Names{"r-g-worker-0", "r-g-worker-1", "r-head"});
    CHECK(text_at(world.get(path), {"status", "state"}) == "ready");
    CHECK(find_int(world.get(path), {"status", "readyWorkerReplicas"}) == 2);
    world.send("DELETE", "/api/v1/namespaces/default/pods/r-g-worker-0");
    CHECK(world.pod_names() == Names{"r-g-worker-0", "r-g-worker-1", "r-head"});
    world.send("PATCH", path, "{spec: {" + groups(1) + "}}");
    CHECK(world.pod_names() == Names{"r-g-worker-0", "r-head"});
}

TEST_CASE("executors of Spark come when the driver runs, and go with it", "[sim][kinds]") {
    ClusterWorld world;
    world.define("sparkoperator.k8s.io/v1beta2", "SparkApplication");
    const std::string path =
        "/apis/sparkoperator.k8s.io/v1beta2/namespaces/default/sparkapplications/s";
    world.create_yaml(
        "{apiVersion: sparkoperator.k8s.io/v1beta2, kind: SparkApplication, metadata: {name: s}, "
        "spec: {image: spark, driver: {cores: 1, memory: 1g, nodeSelector: {late: 'yes'}, "
        "annotations: {sluice.dev/run-seconds: '5'}}, executor: {instances: 2, cores: 1, memory: "
        "1g}}}"
    );
    CHECK(world.pod_names() == Names{"s-driver"});
    CHECK(text_at(world.get(path), {"status", "applicationState", "state"}) == "SUBMITTED");
    world.create_yaml(
        "{apiVersion: v1, kind: Node, metadata: {name: m, labels: {late: 'yes'}}, status: "
        "{conditions: [{type: Ready, status: 'True'}], allocatable: {cpu: '4', memory: 9Gi, pods: "
        "'9'}}}"
    );
    CHECK(world.pod_names() == Names{"s-driver", "s-exec-1", "s-exec-2"});
    const json::Value now = world.get(path);
    CHECK(text_at(now, {"status", "applicationState", "state"}) == "RUNNING");
    CHECK(text_at(now, {"status", "executorState", "s-exec-2"}) == "RUNNING");
    world.pass(5s);
    CHECK(text_at(world.get(path), {"status", "applicationState", "state"}) == "COMPLETED");
    CHECK(world.pod_names() == Names{"s-driver"});
}

TEST_CASE("pods of a LeaderWorkerSet come and go with their replica", "[sim][kinds]") {
    ClusterWorld world;
    world.define("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet");
    const std::string path =
        "/apis/leaderworkerset.x-k8s.io/v1/namespaces/default/leaderworkersets/l";
    const auto create = [&world](const std::string& more) {
        world.create_yaml(
            "{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: {name: l}, "
            "spec: {replicas: 2, " +
            more + "leaderWorkerTemplate: {size: 2, workerTemplate: " + std::string(kPod) + "}}}"
        );
    };
    SECTION("they are marked as its own controller does") {
        create("");
        CHECK(world.pod_names() == Names{"l-0", "l-0-1", "l-1", "l-1-1"});
        const json::Value worker = world.pods().back();
        const json::Value& labels = *worker.find_path({"metadata", "labels"});
        CHECK(labels.string_at("leaderworkerset.sigs.k8s.io/name") == "l");
        CHECK(labels.string_at("leaderworkerset.sigs.k8s.io/group-index") == "1");
        CHECK(labels.string_at("leaderworkerset.sigs.k8s.io/worker-index") == "1");
        CHECK(
            text_at(
                worker, {"metadata", "annotations", "leaderworkerset.sigs.k8s.io/leader-name"}
            ) == "l-1"
        );
        CHECK(find_int(world.get(path), {"status", "readyReplicas"}) == 2);
        CHECK(sim::has_condition(world.get(path), "Available"));
    }
    SECTION("one that is lost takes its replica with it") {
        create("");
        const auto uid_of = [&world](const std::string& name) {
            return std::string(
                text_at(world.get("/api/v1/namespaces/default/pods/" + name), {"metadata", "uid"})
            );
        };
        const std::string lost = uid_of("l-0");
        const std::string other = uid_of("l-1");
        world.send("DELETE", "/api/v1/namespaces/default/pods/l-0-1", "{gracePeriodSeconds: 30}");
        CHECK(world.pod_names() == Names{"l-0", "l-0-1", "l-1", "l-1-1"});
        CHECK(uid_of("l-1") == other);
        CHECK(uid_of("l-0") != lost);
    }
    SECTION("fewer replicas") {
        create("");
        world.send("PATCH", path, "{spec: {replicas: 1}}");
        CHECK(world.pod_names() == Names{"l-0", "l-0-1"});
    }
    SECTION("a new template") {
        create("");
        world.send(
            "PATCH",
            path,
            "{spec: {leaderWorkerTemplate: {workerTemplate: {spec: {containers: [{name: c, image: "
            "new}]}}}}}"
        );
        for (const json::Value& pod : world.pods()) {
            CHECK(list_at(pod, {"spec", "containers"}).front().string_at("image") == "new");
        }
        CHECK(find_int(world.get(path), {"status", "updatedReplicas"}) == 2);
    }
}

}  // namespace sluice::test
