#include "api/meta/micro_time.hpp"
#include "cluster_world.hpp"
#include "sim/controllers.hpp"
#include "sim/objects/fields.hpp"
#include "yaml/parse.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::test {

using namespace std::chrono_literals;
using sim::text_at;

namespace {

const std::string kPolicies = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicy";

/// Nobody may change a pod.
void forbid_updates(ClusterWorld& world) {
    world.create_yaml(
        "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: "
        "{name: p}, spec: {matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: "
        "[v1], operations: [UPDATE], resources: [pods]}]}, validations: [{expression: 'false'}]}}"
    );
    world.create_yaml(
        "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, "
        "metadata: {name: b}, spec: {policyName: p, validationActions: [Deny]}}"
    );
}

std::string replica_set(std::string_view replicas) {
    return "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web}, spec: {replicas: " +
           std::string(replicas) +
           ", selector: {matchLabels: {app: x}}, template: {metadata: {labels: {app: x}}, spec: "
           "{containers: [{name: c, image: i}]}}}}";
}

/// One turn of the controller of a collection over an object that owns these.
sim::Outcome take_turn(
    const apiserver::Collection& collection,
    const json::Value& object,
    const std::vector<json::Value>& owned
) {
    std::vector<const json::Value*> pointers;
    std::ranges::transform(owned, std::back_inserter(pointers), [](const json::Value& each) {
        return &each;
    });
    const sim::Turn::Find find = [](auto, auto, auto) { return json::Value(); };
    return sim::builtin_controllers()
        .at(collection)
        .reconcile({
            .object = object,
            .owned = pointers,
            .find = find,
            .pace = {},
            .now = *api::parse_time("2026-01-01T00:00:00Z"),
        });
}

/// The pods, or the Jobs, that it makes.
std::vector<json::Value> created(const sim::Outcome& outcome) {
    std::vector<json::Value> made;
    for (const sim::Write& write : outcome.writes) {
        if (write.verb == sim::Write::Verb::Create &&
            (write.kind == "Pod" || write.kind == "Job")) {
            made.push_back(write.body);
        }
    }
    return made;
}

}  // namespace

TEST_CASE("a pod that may not be taken in is tried again after a while", "[sim][cluster]") {
    ClusterWorld world;
    world.create_yaml(
        "{apiVersion: v1, kind: Pod, metadata: {name: loose, labels: {app: x}}, spec: "
        "{containers: [{name: c, image: i}]}}"
    );
    forbid_updates(world);
    world.create_yaml(replica_set("1"));
    CHECK(world.is_idle());
    CHECK(world.pod_names() == std::vector<std::string>{"loose"});
    world.pass(30s);
    CHECK(world.is_idle());
    world.send("DELETE", kPolicies + "bindings/b");
    world.pass(10s);
    REQUIRE(world.pod_names() == std::vector<std::string>{"loose"});
    CHECK(sim::list_at(world.pods().front(), {"metadata", "ownerReferences"}).size() == 1);
}

TEST_CASE("a controller makes or deletes 500 pods at most before it looks again", "[sim]") {
    const std::string pod = "{metadata: {labels: {app: x}}, spec: {containers: [{name: c}]}}";
    const std::string two_billions = "replicas: 2000000000";
    const auto [group, plural, kind, spec] =
        GENERATE_COPY(table<std::string, std::string, std::string, std::string>({
            {"apps", "replicasets", "ReplicaSet", two_billions + ", template: " + pod},
            {"apps",
             "statefulsets",
             "StatefulSet",
             "podManagementPolicy: Parallel, " + two_billions + ", template: " + pod},
            {"kubeflow.org",
             "pytorchjobs",
             "PyTorchJob",
             "pytorchReplicaSpecs: {Worker: {" + two_billions + ", template: " + pod + "}}"},
            {"leaderworkerset.x-k8s.io",
             "leaderworkersets",
             "LeaderWorkerSet",
             two_billions + ", leaderWorkerTemplate: {size: 3, workerTemplate: " + pod + "}"},
            {"leaderworkerset.x-k8s.io",
             "leaderworkersets",
             "LeaderWorkerSet",
             "replicas: 1, leaderWorkerTemplate: {size: 2000000000, workerTemplate: " + pod + "}"},
            {"jobset.x-k8s.io",
             "jobsets",
             "JobSet",
             "replicatedJobs: [{name: a, " + two_billions + ", template: {spec: {template: " + pod +
                 "}}}]"},
        }));
    CAPTURE(kind, spec);
    const std::string text = "{apiVersion: " + group + "/v1, kind: " + kind +
                             ", metadata: {name: t, uid: u}, spec: {" + spec + "}}";
    const json::Value object = *yaml::parse_document(text);
    sim::Outcome first = take_turn({group, plural}, object, {});
    const std::vector<json::Value> made = created(first);
    CHECK(made.size() == 500);
    const std::vector<json::Value> more = created(take_turn({group, plural}, object, made));
    CHECK(more.size() == 500);
    if (kind != "ReplicaSet") {  // the server names its pods
        std::set<std::string> names;
        for (const auto* all : {&made, &more}) {
            for (const json::Value& each : *all) {
                names.emplace(text_at(each, {"metadata", "name"}));
            }
        }
        CHECK(names.size() == 1000);
    }
}

TEST_CASE("a set that shrinks deletes 500 pods at most before it looks again", "[sim][apps]") {
    const std::string pod = "{metadata: {labels: {app: x}}, spec: {containers: [{name: c}]}}";
    const std::string kind = GENERATE("ReplicaSet", "StatefulSet");
    const apiserver::Collection collection{
        "apps", kind == "ReplicaSet" ? "replicasets" : "statefulsets"
    };
    const json::Value object = *yaml::parse_document(
        "{apiVersion: apps/v1, kind: " + kind +
        ", metadata: {name: t, uid: u}, spec: {replicas: 1, podManagementPolicy: Parallel, "
        "template: " +
        pod + "}}"
    );
    std::vector<json::Value> pods;
    for (int i = 0; i < 1200; ++i) {
        pods.push_back(*yaml::parse_document(
            "{apiVersion: v1, kind: Pod, metadata: {name: t-" + std::to_string(i) + "}}"
        ));
    }
    const sim::Outcome outcome = take_turn(collection, object, pods);
    CHECK(created(outcome).empty());
    CHECK(std::ranges::count(outcome.writes, sim::Write::Verb::Delete, &sim::Write::verb) == 500);
}

TEST_CASE("a round looks at a part of many pods, and the next ones at the others", "[sim]") {
    ClusterWorld world;
    for (int i = 0; i < 250; ++i) {
        apiserver::Request request =
            apiserver::make_request("POST", "/api/v1/namespaces/default/pods");
        request.content_type = "application/json";
        request.body = "{\"metadata\":{\"name\":\"p" + std::to_string(i) +
                       "\"},\"spec\":{\"nodeName\":\"node-1\",\"containers\":[{\"name\":\"c\","
                       "\"image\":\"i\"}]}}";
        REQUIRE(world.handle(std::move(request)).status == 201);
    }
    const auto running = [&world] {
        const auto pods = world.pods();
        return std::ranges::count_if(pods, [](const json::Value& pod) {
            return text_at(pod, {"status", "phase"}) == "Running";
        });
    };
    world.settle_round();
    CHECK(running() == 100);
    CHECK_FALSE(world.is_idle());
    world.settle_round();
    world.settle_round();
    world.settle_round();
    world.settle_round();
    CHECK(running() == 250);
}

}  // namespace sluice::test
