#include "cluster_world.hpp"
#include "sim/fields.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <string>

namespace sluice::test {

using namespace std::chrono_literals;
using sim::find_int;
using sim::list_at;
using sim::text_at;

namespace {

const std::string kEndpoints = "/api/v1/namespaces/default/endpoints/web";
const std::string kSlices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
const std::string kPods = "/api/v1/namespaces/default/pods";
const std::string kBudget = "/apis/policy/v1/namespaces/default/poddisruptionbudgets/b";

std::string make(std::string_view kind, std::string_view name, std::string_view spec) {
    const bool is_set = kind == "ReplicaSet";
    return std::string("{apiVersion: ") + (is_set ? "apps/v1" : "v1") +
           ", kind: " + std::string(kind) + ", metadata: {name: " + std::string(name) +
           "}, spec: {selector: " + (is_set ? "{matchLabels: {app: x}}" : "{app: x}") +
           ", template: {metadata: {labels: {app: x}}, spec: {containers: [{name: c, image: i, "
           "ports: [{name: http, containerPort: 8080}]}]}}, " +
           std::string(spec) + "}}";
}

constexpr std::string_view kService =
    "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {app: x}, ports: "
    "[{port: 80, targetPort: http}]}}";

}  // namespace

TEST_CASE("a service has the pods that it selects", "[sim][services]") {
    ClusterWorld world;
    world.create_yaml(kService);
    CHECK(list_at(world.get(kEndpoints), {"subsets"}).empty());
    REQUIRE(world.list(kSlices).size() == 1);
    CHECK(list_at(world.list(kSlices).front(), {"endpoints"}).empty());
    world.create_yaml(make("ReplicaSet", "web", "replicas: 2"));
    const json::Value subset = list_at(world.get(kEndpoints), {"subsets"}).front();
    CHECK(list_at(subset, {"addresses"}).size() == 2);
    CHECK(find_int(list_at(subset, {"ports"}).front(), {"port"}) == 8080);
    const json::Value pod = world.pods().front();
    CHECK(
        list_at(subset, {"addresses"}).front().string_at("ip") == text_at(pod, {"status", "podIP"})
    );
    CHECK(list_at(world.list(kSlices).front(), {"endpoints"}).size() == 2);
    SECTION("no more when they are gone") {
        world.send(
            "PATCH", "/apis/apps/v1/namespaces/default/replicasets/web", "{spec: {replicas: 0}}"
        );
        CHECK(list_at(world.get(kEndpoints), {"subsets"}).empty());
    }
    SECTION("and takes all with it") {
        world.send("DELETE", "/api/v1/namespaces/default/services/web");
        CHECK(world.get(kEndpoints).is_null());
        CHECK(world.list(kSlices).empty());
    }
}

TEST_CASE("endpoints that somebody wrote are told in slices, too", "[sim][services]") {
    ClusterWorld world;
    world.create_yaml(
        "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {ports: [{port: 80}]}}"
    );
    CHECK(world.list(kSlices).empty());
    world.create_yaml(
        "{apiVersion: v1, kind: Endpoints, metadata: {name: web}, subsets: [{addresses: [{ip: "
        "10.1.2.3}], ports: [{port: 80}]}]}"
    );
    REQUIRE(world.list(kSlices).size() == 1);
    const json::Value slice = world.list(kSlices).front();
    CHECK(
        list_at(list_at(slice, {"endpoints"}).front(), {"addresses"}).front() ==
        json::Value("10.1.2.3")
    );
    CHECK(text_at(slice, {"metadata", "labels", "kubernetes.io/service-name"}) == "web");
    world.send("DELETE", kEndpoints);
    CHECK(world.list(kSlices).empty());
}

TEST_CASE("sets take in pods that nobody controls, and let go others", "[sim][services]") {
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

TEST_CASE("a Deployment takes in the ReplicaSets that it selects", "[sim][services]") {
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

TEST_CASE("a set says that its pods cannot be created", "[sim][services]") {
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

TEST_CASE("a budget counts how many of its pods may be disrupted", "[sim][services]") {
    ClusterWorld world;
    world.create_yaml(
        "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: "
        "{maxUnavailable: 50%, selector: {matchLabels: {app: x}}}}"
    );
    CHECK(find_int(world.get(kBudget), {"status", "disruptionsAllowed"}) == 0);
    world.create_yaml(make("ReplicaSet", "web", "replicas: 3"));
    const json::Value status = *world.get(kBudget).find("status");
    CHECK(find_int(status, {"expectedPods"}) == 3);
    CHECK(find_int(status, {"currentHealthy"}) == 3);
    CHECK(find_int(status, {"desiredHealthy"}) == 1);
    CHECK(find_int(status, {"disruptionsAllowed"}) == 2);
    CHECK(sim::has_condition(world.get(kBudget), "DisruptionAllowed"));
}

TEST_CASE("a pod ends when its deadline has passed", "[sim][services]") {
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
