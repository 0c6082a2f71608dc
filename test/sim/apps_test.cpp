#include "cluster_world.hpp"
#include "sim/apps/int_or_percent.hpp"
#include "sim/objects/fields.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sluice::test {

using namespace std::chrono_literals;
using sim::find_int;
using sim::text_at;

namespace {

const std::string kDeployment = "/apis/apps/v1/namespaces/default/deployments/web";
const std::string kReplicaSets = "/apis/apps/v1/namespaces/default/replicasets";
const std::string kStatefulSet = "/apis/apps/v1/namespaces/default/statefulsets/db";

std::string make(std::string_view kind, std::string_view name, std::string_view spec) {
    return "{apiVersion: apps/v1, kind: " + std::string(kind) +
           ", metadata: {name: " + std::string(name) +
           "}, spec: {selector: {matchLabels: {app: x}}, template: {metadata: {labels: {app: x}}, "
           "spec: {containers: [{name: c, image: 'i:1'}]}}, " +
           std::string(spec) + "}}";
}

constexpr std::string_view kNewImage =
    "{spec: {template: {spec: {containers: [{name: c, image: 'i:2'}]}}}}";

/// Images of the pods that are there, without duplicates.
std::set<std::string> images(ClusterWorld& world) {
    std::set<std::string> found;
    for (const json::Value& pod : world.pods()) {
        found.emplace(sim::list_at(pod, {"spec", "containers"}).front().string_at("image"));
    }
    return found;
}

}  // namespace

TEST_CASE("a Deployment has the pods that it wants, and runs on", "[sim][apps]") {
    ClusterWorld world;
    world.create_yaml(make("Deployment", "web", "replicas: 3"));
    CHECK(world.pods().size() == 3);
    const json::Value pod = world.pods().front();
    const std::string hash(text_at(pod, {"metadata", "labels", "pod-template-hash"}));
    CHECK(text_at(pod, {"metadata", "name"}).starts_with("web-" + hash + "-"));
    const json::Value& owner = sim::list_at(pod, {"metadata", "ownerReferences"}).front();
    CHECK(owner.string_at("kind") == "ReplicaSet");
    CHECK(owner.string_at("name") == "web-" + hash);
    CHECK(find_int(world.get(kDeployment), {"status", "readyReplicas"}) == 3);
    CHECK(find_int(world.get(kDeployment), {"status", "observedGeneration"}) == 1);
    CHECK(sim::has_condition(world.get(kDeployment), "Available"));
    const json::Value known = world.get(kDeployment);
    const json::Value& condition = sim::list_at(known, {"status", "conditions"}).front();
    CHECK(condition.string_at("lastUpdateTime") == "2026-01-01T00:00:00Z");
    const std::string_view revision = "deployment.kubernetes.io/revision";
    CHECK(text_at(world.get(kDeployment), {"metadata", "annotations", revision}) == "1");
    const json::Value set = world.list(kReplicaSets).front();
    const json::Value& annotations = *set.find_path({"metadata", "annotations"});
    CHECK(annotations.string_at(revision) == "1");
    CHECK(annotations.string_at("deployment.kubernetes.io/desired-replicas") == "3");
    CHECK(annotations.string_at("deployment.kubernetes.io/max-replicas") == "4");
    CHECK(find_int(set, {"status", "terminatingReplicas"}) == 0);
    world.pass(1h);
    CHECK(world.pods().size() == 3);
    SECTION("and a deleted pod comes back") {
        world.send("DELETE", "/api/v1/namespaces/default/pods/" + world.pod_names().front());
        CHECK(world.pods().size() == 3);
        CHECK(find_int(world.get(kDeployment), {"status", "readyReplicas"}) == 3);
    }
    SECTION("and shrinks and grows") {
        world.send("PATCH", kDeployment, "{spec: {replicas: 1}}");
        CHECK(world.pods().size() == 1);
        CHECK(find_int(world.get(kDeployment), {"status", "replicas"}) == 1);
        world.send("PATCH", kDeployment, "{spec: {replicas: 5}}");
        CHECK(world.pods().size() == 5);
    }
    SECTION("and goes with its pods") {
        world.send("DELETE", kDeployment);
        CHECK(world.pods().empty());
        CHECK(world.list(kReplicaSets).empty());
    }
}

TEST_CASE("a new template of a Deployment replaces the pods of the old one", "[sim][apps]") {
    const std::string strategy = GENERATE(
        "strategy: {type: Recreate}",
        "strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}",
        "strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}"
    );
    ClusterWorld world;
    world.create_yaml(make("Deployment", "web", "replicas: 3, " + strategy));
    world.send("PATCH", kDeployment, kNewImage);
    CHECK(images(world) == std::set<std::string>{"i:2"});
    CHECK(world.pods().size() == 3);
    CHECK(find_int(world.get(kDeployment), {"status", "updatedReplicas"}) == 3);
    CHECK(world.list(kReplicaSets).size() == 2);
    SECTION("and the old one may come back") {
        world.send(
            "PATCH",
            kDeployment,
            "{spec: {template: {spec: {containers: [{name: c, image: 'i:1'}]}}}}"
        );
        CHECK(images(world) == std::set<std::string>{"i:1"});
        CHECK(world.list(kReplicaSets).size() == 2);
        CHECK(
            text_at(
                world.get(kDeployment),
                {"metadata", "annotations", "deployment.kubernetes.io/revision"}
            ) == "3"
        );
    }
}

TEST_CASE("an update waits for pods that do not come up", "[sim][apps]") {
    ClusterWorld world;
    world.create_yaml(make(
        "Deployment",
        "web",
        "replicas: 2, strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}"
    ));
    world.send("PATCH", kDeployment, "{spec: {template: {spec: {nodeSelector: {no: such}}}}}");
    CHECK(world.pods().size() == 3);
    CHECK(find_int(world.get(kDeployment), {"status", "availableReplicas"}) == 2);
    CHECK(find_int(world.get(kDeployment), {"status", "updatedReplicas"}) == 1);
}

TEST_CASE("a StatefulSet has its pods one after the other", "[sim][apps]") {
    ClusterWorld world;
    SECTION("each waits for the one before it") {
        world.create_yaml(make("StatefulSet", "db", "replicas: 2"));
        CHECK(world.pod_names() == std::vector<std::string>{"db-0", "db-1"});
        const json::Value pod = world.pods().back();
        CHECK(text_at(pod, {"metadata", "labels", "apps.kubernetes.io/pod-index"}) == "1");
        CHECK(text_at(pod, {"metadata", "labels", "statefulset.kubernetes.io/pod-name"}) == "db-1");
        CHECK(text_at(pod, {"spec", "hostname"}) == "db-1");
        CHECK(text_at(pod, {"metadata", "generateName"}) == "db-");
        std::set<std::string> told;
        for (const json::Value& event : world.list("/api/v1/namespaces/default/events")) {
            told.emplace(event.string_at("message"));
        }
        CHECK(told.contains("Create Pod db-1 in StatefulSet db successful"));
        const json::Value set = world.get(kStatefulSet);
        CHECK(find_int(set, {"status", "readyReplicas"}) == 2);
        CHECK(
            text_at(set, {"status", "currentRevision"}) ==
            text_at(pod, {"metadata", "labels", "controller-revision-hash"})
        );
    }
    SECTION("or not") {
        const bool is_parallel = GENERATE(false, true);
        const std::string policy = is_parallel ? "Parallel" : "OrderedReady";
        const std::string node =
            ", template: {metadata: {labels: {app: x}}, spec: {nodeSelector: "
            "{no: such}, containers: [{name: c, image: i}]}}";
        world.create_yaml(
            "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {replicas: 3, "
            "podManagementPolicy: " +
            policy + ", selector: {matchLabels: {app: x}}" + node + "}}"
        );
        CHECK(world.pods().size() == (is_parallel ? 3 : 1));
    }
    SECTION("from the ordinal that it begins with") {
        world.create_yaml(make("StatefulSet", "db", "replicas: 2, ordinals: {start: 5}"));
        CHECK(world.pod_names() == std::vector<std::string>{"db-5", "db-6"});
    }
}

TEST_CASE("a StatefulSet shrinks and is updated from its last pod on", "[sim][apps]") {
    ClusterWorld world;
    world.create_yaml(make("StatefulSet", "db", "replicas: 3"));
    SECTION("it shrinks") {
        world.send("PATCH", kStatefulSet, "{spec: {replicas: 1}}");
        CHECK(world.pod_names() == std::vector<std::string>{"db-0"});
        CHECK(find_int(world.get(kStatefulSet), {"status", "replicas"}) == 1);
    }
    SECTION("all are updated") {
        world.send("PATCH", kStatefulSet, kNewImage);
        CHECK(images(world) == std::set<std::string>{"i:2"});
        CHECK(find_int(world.get(kStatefulSet), {"status", "updatedReplicas"}) == 3);
        const json::Value set = world.get(kStatefulSet);
        CHECK(
            text_at(set, {"status", "currentRevision"}) ==
            text_at(set, {"status", "updateRevision"})
        );
    }
    SECTION("those before the partition are not") {
        world.send(
            "PATCH", kStatefulSet, "{spec: {updateStrategy: {rollingUpdate: {partition: 2}}}}"
        );
        world.send("PATCH", kStatefulSet, kNewImage);
        CHECK(images(world) == std::set<std::string>{"i:1", "i:2"});
        CHECK(find_int(world.get(kStatefulSet), {"status", "updatedReplicas"}) == 1);
        // Nor are they when they come back.
        world.send("DELETE", "/api/v1/namespaces/default/pods/db-0");
        const json::Value pod = world.get("/api/v1/namespaces/default/pods/db-0");
        CHECK(sim::list_at(pod, {"spec", "containers"}).front().string_at("image") == "i:1");
        CHECK(
            text_at(pod, {"metadata", "labels", "controller-revision-hash"}) ==
            text_at(world.get(kStatefulSet), {"status", "currentRevision"})
        );
    }
    SECTION("there is a revision for each template") {
        const std::string path = "/apis/apps/v1/namespaces/default/controllerrevisions";
        world.send("PATCH", kStatefulSet, kNewImage);
        CHECK(world.list(path).size() == 2);
        const std::string current(text_at(world.get(kStatefulSet), {"status", "currentRevision"}));
        CHECK(find_int(world.get(path + "/" + current), {"revision"}) == 2);
    }
    SECTION("a pod that is deleted comes back under its name") {
        world.send("DELETE", "/api/v1/namespaces/default/pods/db-1");
        CHECK(world.pod_names() == std::vector<std::string>{"db-0", "db-1", "db-2"});
    }
}

TEST_CASE("pods of a ReplicaSet wait for the webhooks that are asked", "[sim][apps]") {
    struct Sent {
        apiserver::Request request;
        sim::SimulatedCluster::Answered answered;
    };
    std::vector<Sent> sent;
    ClusterWorld world({.send = [&sent](auto request, auto answered) {
        sent.push_back({std::move(request), std::move(answered)});
    }});
    world.create_yaml(make("Deployment", "web", "replicas: 2"));
    REQUIRE(sent.size() == 2);
    world.send("PATCH", kDeployment, "{metadata: {labels: {a: b}}}");
    CHECK(sent.size() == 2);  // no more are sent while these are on their way
    CHECK(world.pods().empty());
    SECTION("they are let in") {
        for (Sent& each : std::exchange(sent, {})) {
            each.answered(world.handle(std::move(each.request)), world.now());
        }
        world.settle();
        CHECK(world.pods().size() == 2);
        CHECK(sent.empty());
        CHECK(
            world.events("ReplicaSet") ==
            std::vector<std::string>{"SuccessfulCreate", "SuccessfulCreate"}
        );
    }
    SECTION("they are refused") {
        for (const Sent& each : std::exchange(sent, {})) {
            each.answered({.status = 400, .body = "{\"message\": \"no\"}"}, world.now());
        }
        world.settle();
        CHECK(sent.empty());
        CHECK(world.events("ReplicaSet") == std::vector<std::string>{"FailedCreate"});
        world.pass(10s);
        CHECK(sent.size() == 2);
    }
}

TEST_CASE("containers that have ended are started again where the pod says so", "[sim][cluster]") {
    const auto create = [](ClusterWorld& world, const std::string& policy, const char* exit_code) {
        world.create_yaml(
            "{apiVersion: v1, kind: Pod, metadata: {name: p, annotations: {sluice.dev/run-seconds: "
            "'5', sluice.dev/exit-code: '" +
            std::string(exit_code) + "'}}, spec: {restartPolicy: " + policy +
            ", containers: [{name: c, image: i}]}}"
        );
    };
    ClusterWorld world;
    const std::string path = "/api/v1/namespaces/default/pods/p";
    SECTION("on failure") {
        create(world, "OnFailure", "1");
        world.pass(11s);
        const json::Value pod = world.get(path);
        CHECK(text_at(pod, {"status", "phase"}) == "Running");
        CHECK(
            find_int(
                sim::list_at(pod, {"status", "containerStatuses"}).front(), {"restartCount"}
            ) == 2
        );
    }
    SECTION("on failure alone") {
        create(world, "OnFailure", "0");
        world.pass(5s);
        CHECK(text_at(world.get(path), {"status", "phase"}) == "Succeeded");
    }
    SECTION("always") {
        create(world, "Always", "0");
        world.pass(5s);
        CHECK(text_at(world.get(path), {"status", "phase"}) == "Running");
    }
    SECTION("never") {
        create(world, "Never", "3");
        world.pass(5s);
        CHECK(text_at(world.get(path), {"status", "phase"}) == "Failed");
    }
}

TEST_CASE("pods are available once they were ready for as long as is said", "[sim][apps]") {
    ClusterWorld world;
    constexpr const char* kTemplate =
        "selector: {matchLabels: {app: a}}, template: {metadata: {labels: {app: a}}, spec: "
        "{containers: [{name: c, image: x}]}}";
    const auto available = [&world](const std::string& path, std::string_view member) {
        return find_int(world.get("/apis/apps/v1/namespaces/default/" + path), {"status", member})
            .value_or(0);
    };
    for (const std::string kind : {"Deployment", "StatefulSet"}) {
        CAPTURE(kind);
        world.create_yaml(fmt::format(
            "{{apiVersion: apps/v1, kind: {}, metadata: {{name: {}}}, spec: {{minReadySeconds: 20, "
            "{}}}}}",
            kind,
            "a",
            kTemplate
        ));
        const std::string path = kind == "Deployment" ? "deployments/a" : "statefulsets/a";
        world.pass(10s);
        CHECK(available(path, "readyReplicas") == 1);
        CHECK(available(path, "availableReplicas") == 0);
        world.pass(15s);
        CHECK(available(path, "availableReplicas") == 1);
        world.send("DELETE", "/apis/apps/v1/namespaces/default/" + path);
        world.pass(1s);
    }
}

TEST_CASE("a share in percent is rounded as asked, and bounded", "[sim][apps]") {
    const auto up = [](const json::Value& value) {
        return sim::resolve_int_or_percent(&value, 10, sim::Rounding::Up);
    };
    CHECK(up(7) == 7);
    CHECK(up("25%") == 3);
    const json::Value quarter("25%");
    CHECK(sim::resolve_int_or_percent(&quarter, 10, sim::Rounding::Down) == 2);
    CHECK(up("99999999999999999999%") == 10'000);
    CHECK(up("9000000000000000000%") == 10'000);
    CHECK(up("-5%") == 0);
    CHECK(sim::resolve_int_or_percent(nullptr, 10, sim::Rounding::Up) == 0);
}

}  // namespace sluice::test
