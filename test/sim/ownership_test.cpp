#include "cluster_world.hpp"
#include "sim/objects/fields.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <string>

namespace sluice::test {

using namespace std::chrono_literals;
using sim::find_int;
using sim::list_at;
using sim::text_at;

namespace {

const std::string kPods = "/api/v1/namespaces/default/pods";
std::string make(std::string_view kind, std::string_view name, std::string_view spec) {
    const bool is_set = kind == "ReplicaSet";
    return std::string("{apiVersion: ") + (is_set ? "apps/v1" : "v1") +
           ", kind: " + std::string(kind) + ", metadata: {name: " + std::string(name) +
           "}, spec: {selector: " + (is_set ? "{matchLabels: {app: x}}" : "{app: x}") +
           ", template: {metadata: {labels: {app: x}}, spec: {containers: [{name: c, image: i, "
           "ports: [{name: http, containerPort: 8080}]}]}}, " +
           std::string(spec) + "}}";
}

}  // namespace

TEST_CASE("sets take in pods that nobody controls, and let go others", "[sim][ownership]") {
    ClusterWorld world;
    const std::string path = "/api/v1/namespaces/default/replicationcontrollers/web";
    world.create_yaml(
        "{apiVersion: v1, kind: Pod, metadata: {name: stray, labels: {app: x}}, spec: {containers: "
        "[{name: c, image: i}]}}"
    );
    world.create_yaml(make("ReplicationController", "web", "replicas: 1"));
    CHECK(world.pod_names() == std::vector<std::string>{"stray"});
    CHECK(
        list_at(world.get(kPods + "/stray"), {"metadata", "ownerReferences"})
            .front()
            .string_at("name") == "web"
    );
    CHECK(find_int(world.get(path), {"status", "readyReplicas"}) == 1);
    world.send("PATCH", kPods + "/stray", "{metadata: {labels: {app: other}}}");
    CHECK(world.pods().size() == 2);
    CHECK(list_at(world.get(kPods + "/stray"), {"metadata", "ownerReferences"}).empty());
}

TEST_CASE("a Deployment takes in the ReplicaSets that it selects", "[sim][ownership]") {
    ClusterWorld world;
    const std::string set = "/apis/apps/v1/namespaces/default/replicasets/old";
    world.create_yaml(make("ReplicaSet", "old", "replicas: 1"));
    world.send("PATCH", set, "{metadata: {labels: {app: x}}}");
    world.create_yaml(
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 1, "
        "selector: {matchLabels: {app: x}}, template: {metadata: {labels: {app: x}}, spec: "
        "{containers: [{name: c, image: other}]}}}}"
    );
    CHECK(
        list_at(world.get(set), {"metadata", "ownerReferences"}).front().string_at("name") == "web"
    );
    world.pass(1min);
    CHECK(find_int(world.get(set), {"spec", "replicas"}) == 0);
    CHECK(world.pods().size() == 1);
}

TEST_CASE("a set says that its pods cannot be created", "[sim][ownership]") {
    ClusterWorld world;
    const std::string path = "/apis/apps/v1/namespaces/default/replicasets/web";
    world.create_yaml(
        "{apiVersion: v1, kind: ResourceQuota, metadata: {name: q}, spec: {hard: {pods: 1}}}"
    );
    world.create_yaml(make("ReplicaSet", "web", "replicas: 2"));
    CHECK(world.pods().size() == 1);
    CHECK(sim::has_condition(world.get(path), "ReplicaFailure"));
    world.send(
        "PATCH", "/api/v1/namespaces/default/resourcequotas/q", "{spec: {hard: {pods: '2'}}}"
    );
    world.pass(10s);
    CHECK(world.pods().size() == 2);
    CHECK(!sim::has_condition(world.get(path), "ReplicaFailure"));
}

TEST_CASE("a pod ends when its deadline has passed", "[sim][ownership]") {
    ClusterWorld world;
    world.create_yaml(
        "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {activeDeadlineSeconds: 5, "
        "containers: [{name: c, image: i}]}}"
    );
    CHECK(text_at(world.get(kPods + "/p"), {"status", "phase"}) == "Running");
    world.pass(5s);
    CHECK(text_at(world.get(kPods + "/p"), {"status", "phase"}) == "Failed");
    CHECK(text_at(world.get(kPods + "/p"), {"status", "reason"}) == "DeadlineExceeded");
}

}  // namespace sluice::test
