#include "cluster_world.hpp"
#include "sim/objects/fields.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <chrono>
#include <map>
#include <string>

// How Deployments come along, and what holds them up.
namespace sluice::test {

using namespace std::chrono_literals;
using sim::find_int;
using sim::text_at;

namespace {

const std::string kDeployment = "/apis/apps/v1/namespaces/default/deployments/web";
const std::string kReplicaSets = "/apis/apps/v1/namespaces/default/replicasets";

constexpr std::string_view kNewImage =
    "{spec: {template: {spec: {containers: [{name: c, image: 'i:2'}]}}}}";
/// No node is for its pods.
constexpr std::string_view kStuck = "{spec: {template: {spec: {nodeSelector: {no: such}}}}}";

void create(ClusterWorld& world, const std::string& spec) {
    world.create_yaml(
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {selector: "
        "{matchLabels: {app: x}}, template: {metadata: {labels: {app: x}}, spec: {containers: "
        "[{name: c, image: 'i:1'}]}}, strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: "
        "0}}, " +
        spec + "}}"
    );
}

/// How many pods there are of each image.
std::map<std::string, int> images(ClusterWorld& world) {
    std::map<std::string, int> found;
    for (const json::Value& pod : world.pods()) {
        ++found[std::string(sim::list_at(pod, {"spec", "containers"}).front().string_at("image"))];
    }
    return found;
}

std::string progress(ClusterWorld& world) {
    const json::Value deployment = world.get(kDeployment);
    const json::Value* found = sim::find_element(
        sim::list_at(deployment, {"status", "conditions"}), "type", "Progressing"
    );
    return found == nullptr ? std::string()
                            : std::string(found->string_at("status")) + "/" +
                                  std::string(found->string_at("reason"));
}

using Images = std::map<std::string, int>;

}  // namespace

TEST_CASE("a Deployment that is paused keeps its template, but not its size", "[sim][apps]") {
    ClusterWorld world;
    create(world, "replicas: 3");
    CHECK(progress(world) == "True/NewReplicaSetAvailable");
    world.send("PATCH", kDeployment, "{spec: {paused: true}}");
    CHECK(progress(world) == "Unknown/DeploymentPaused");
    world.send("PATCH", kDeployment, kNewImage);
    CHECK(world.list(kReplicaSets).size() == 1);
    CHECK(images(world) == Images{{"i:1", 3}});
    CHECK_FALSE(find_int(world.get(kDeployment), {"status", "updatedReplicas"}));
    world.send("PATCH", kDeployment, "{spec: {replicas: 5}}");
    CHECK(images(world) == Images{{"i:1", 5}});
    CHECK(find_int(world.get(kDeployment), {"status", "readyReplicas"}) == 5);
    world.send("PATCH", kDeployment, "{spec: {paused: false}}");
    CHECK(images(world) == Images{{"i:2", 5}});
    CHECK(progress(world) == "True/NewReplicaSetAvailable");
}

TEST_CASE("a ReplicaSet that is new again tells its earlier revisions", "[sim][apps]") {
    ClusterWorld world;
    create(world, "replicas: 1");
    const auto annotations_of = [&world](std::string_view image) {
        for (const json::Value& set : world.list(kReplicaSets)) {
            const json::Value* containers =
                set.find_path({"spec", "template", "spec", "containers"});
            if (containers->as_array().front().string_at("image") == image) {
                return *set.find_path({"metadata", "annotations"});
            }
        }
        return json::Value();
    };
    constexpr std::string_view kHistory = "deployment.kubernetes.io/revision-history";
    constexpr std::string_view kCause = "kubernetes.io/change-cause";
    world.send("PATCH", kDeployment, "{metadata: {annotations: {kubernetes.io/change-cause: up}}}");
    CHECK(annotations_of("i:1").string_at(kCause) == "up");
    world.send("PATCH", kDeployment, kNewImage);
    CHECK(annotations_of("i:2").find(kHistory) == nullptr);
    world.send(
        "PATCH",
        kDeployment,
        "{metadata: {annotations: {kubernetes.io/change-cause: down}}, spec: {template: {spec: "
        "{containers: [{name: c, image: 'i:1'}]}}}}"
    );
    CHECK(annotations_of("i:1").string_at(kHistory) == "1");
    CHECK(annotations_of("i:1").string_at(kCause) == "down");
    CHECK(annotations_of("i:2").string_at(kCause) == "up");
    world.send("PATCH", kDeployment, kNewImage);
    world.send(
        "PATCH", kDeployment, "{spec: {template: {spec: {containers: [{name: c, image: 'i:1'}]}}}}"
    );
    CHECK(annotations_of("i:1").string_at(kHistory) == "1,3");
    CHECK(annotations_of("i:1").string_at("deployment.kubernetes.io/revision") == "5");
    CHECK(world.is_idle());
}

TEST_CASE("a Deployment that is paused from the start has no pods", "[sim][apps]") {
    ClusterWorld world;
    create(world, "replicas: 2, paused: true");
    CHECK(world.list(kReplicaSets).empty());
    CHECK(progress(world) == "Unknown/DeploymentPaused");
    CHECK(find_int(world.get(kDeployment), {"status", "unavailableReplicas"}) == 2);
    CHECK(world.is_idle());
}

TEST_CASE("an update that is paused halfway is scaled in its shares", "[sim][apps]") {
    ClusterWorld world;
    create(world, "replicas: 2");
    world.send("PATCH", kDeployment, kStuck);
    REQUIRE(world.pods().size() == 3);
    world.send("PATCH", kDeployment, "{spec: {paused: true, replicas: 4}}");
    std::map<std::int64_t, int> sizes;
    for (const json::Value& set : world.list(kReplicaSets)) {
        ++sizes[find_int(set, {"spec", "replicas"}).value_or(0)];
    }
    CHECK(sizes == std::map<std::int64_t, int>{{2, 1}, {3, 1}});
    CHECK(progress(world) == "Unknown/DeploymentPaused");
    world.send("PATCH", kDeployment, "{spec: {paused: false}}");
    CHECK(progress(world) == "Unknown/DeploymentResumed");
    CHECK(world.is_idle());
}

TEST_CASE("an update that makes no progress for too long says so", "[sim][apps]") {
    const int speed = GENERATE(1, 60);
    ClusterWorld world({.pace = {.speed = static_cast<double>(speed)}});
    create(world, "replicas: 2, progressDeadlineSeconds: 600");
    world.pass(1h);
    CHECK(progress(world) == "True/NewReplicaSetAvailable");
    world.send("PATCH", kDeployment, kStuck);
    CHECK(progress(world) == "True/ReplicaSetUpdated");
    world.pass(600s / speed - 1s);
    CHECK(progress(world) == "True/ReplicaSetUpdated");
    world.pass(1s);
    CHECK(progress(world) == "False/ProgressDeadlineExceeded");
    world.pass(1h);
    CHECK(progress(world) == "False/ProgressDeadlineExceeded");
    SECTION("and being paused does not change that") {
        world.send("PATCH", kDeployment, "{spec: {paused: true}}");
        CHECK(progress(world) == "False/ProgressDeadlineExceeded");
    }
    SECTION("until it goes on") {
        world.send("PATCH", kDeployment, "{spec: {template: {spec: {nodeSelector: null}}}}");
        CHECK(progress(world) == "True/NewReplicaSetAvailable");
    }
}

TEST_CASE("an update counts its deadline from its last progress", "[sim][apps]") {
    ClusterWorld world;
    create(world, "replicas: 3, progressDeadlineSeconds: 60");
    world.send("PATCH", kDeployment, kStuck);
    world.pass(50s);
    // One pod of the new template runs after all, and another one waits then.
    std::string pod;
    for (const json::Value& each : world.pods()) {
        if (text_at(each, {"spec", "nodeName"}).empty()) {
            pod = text_at(each, {"metadata", "name"});
        }
    }
    world.send(
        "POST",
        "/api/v1/namespaces/default/pods/" + pod + "/binding",
        "{apiVersion: v1, kind: Binding, target: {kind: Node, name: node-1}}"
    );
    CHECK(find_int(world.get(kDeployment), {"status", "updatedReplicas"}) == 2);
    world.pass(59s);
    CHECK(progress(world) == "True/ReplicaSetUpdated");
    world.pass(1s);
    CHECK(progress(world) == "False/ProgressDeadlineExceeded");
}

TEST_CASE("an update without a deadline says nothing of its progress", "[sim][apps]") {
    ClusterWorld world;
    create(world, "replicas: 1, progressDeadlineSeconds: 2147483647");
    CHECK(progress(world).empty());
    CHECK(world.is_idle());
}

}  // namespace sluice::test
