#include "cluster_world.hpp"
#include "sim/objects/fields.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <string>

namespace sluice::sim {

using namespace std::chrono_literals;
using test::ClusterWorld;

namespace {

constexpr const char* kPod = "/api/v1/namespaces/default/pods/p";

std::string phase_after(const std::string& container, Duration length) {
    ClusterWorld world;
    world.create_yaml(
        "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {restartPolicy: Never, "
        "containers: [{name: c, image: x, " +
        container + "}]}}"
    );
    world.pass(length);
    return std::string(text_at(world.get(kPod), {"status", "phase"}));
}

}  // namespace

TEST_CASE("a pod whose command is a sleep runs as long", "[sim][cluster]") {
    for (const char* command :
         {"command: [sleep, '300']",
          "command: [/bin/sleep], args: [300s]",
          "command: [sh, -c, sleep 5m]",
          "command: [/bin/sh, -c, ' sleep  300 ']"}) {
        CAPTURE(command);
        CHECK(phase_after(command, 299s) == "Running");
        CHECK(phase_after(command, 301s) == "Succeeded");
    }
    CHECK(phase_after("command: [sleep, infinity]", 24h) == "Running");
    CHECK(phase_after("command: [sleep, 9223372036854775807d]", 24h) == "Running");
}

TEST_CASE("a pod whose command says something else runs as all do", "[sim][cluster]") {
    for (const char* command :
         {"command: [sleep, '-300']",
          "command: [sleep, 300x]",
          "command: [sleep, '']",
          "command: [sleep, '300', '300']",
          "command: [sh, -c, sleep 300 | cat]",
          "command: [sh, -c, \"echo starting\\npython3 train.py\\n\"]",
          "command: [sh, -c, echo x | python3 train.py]",
          "command: [sh, -c, echo $(sleep 600)]",
          "command: [sh, -c, sleep 600 & wait]",
          "command: [sh, -c, '']",
          "args: ['300']",
          "command: [oversleep, '300']"}) {
        CAPTURE(command);
        CHECK(phase_after(command, 29s) == "Running");
        CHECK(phase_after(command, 31s) == "Succeeded");
    }
}

TEST_CASE("a pod with a container that says nothing runs as all do", "[sim][cluster]") {
    ClusterWorld world;
    world.create_yaml(
        "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {restartPolicy: Never, "
        "containers: [{name: c, image: x, command: [sleep, '5']}, {name: d, image: z}]}}"
    );
    world.pass(29s);
    CHECK(text_at(world.get(kPod), {"status", "phase"}) == "Running");
    world.pass(2s);
    CHECK(text_at(world.get(kPod), {"status", "phase"}) == "Succeeded");
}

TEST_CASE("where pods run for ever a command ends none", "[sim][cluster]") {
    ClusterWorld world({.pace = {.run_time = kForever}});
    world.create_yaml(
        "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {restartPolicy: Never, "
        "containers: [{name: c, image: x, command: [sleep, '5']}]}}"
    );
    world.pass(24h);
    CHECK(text_at(world.get(kPod), {"status", "phase"}) == "Running");
}

TEST_CASE("a pod ends as its command says", "[sim][cluster]") {
    for (const char* command :
         {"command: ['false']",
          "command: [sh, -c, exit 3]",
          "command: [sh, -c, 'echo hi; exit 1']",
          "command: [/bin/sh, -c], args: ['true && exit 255']"}) {
        CAPTURE(command);
        CHECK(phase_after(command, 500ms) == "Running");
        CHECK(phase_after(command, 1s) == "Failed");
    }
    for (const char* command :
         {"command: ['true']",
          "command: [sh, -c, exit 0]",
          "command: [sh, -c, exit]",
          "command: [sh, -c, exit 256]",
          "command: [sh, -c, 'exit $((RANDOM % 2))']",
          "command: [sh, -c, 'run it; exit 1']",
          "command: [falsehood]"}) {
        CAPTURE(command);
        CHECK(phase_after(command, 31s) == "Succeeded");
    }
}

TEST_CASE("statements of a shell run one after the other", "[sim][cluster]") {
    const std::string command = "command: [sh, -c, 'sleep 100 && echo half; sleep 100; exit 4']";
    CHECK(phase_after(command, 199s) == "Running");
    CHECK(phase_after(command, 201s) == "Failed");
    CHECK(phase_after("command: [sh, -c, \"echo a\\nsleep 50\\n\"]", 49s) == "Running");
    CHECK(phase_after("command: [sh, -c, \"echo a\\nsleep 50\\n\"]", 51s) == "Succeeded");
    CHECK(phase_after("command: [sh, -c, 'exit 1; sleep 100']", 31s) == "Failed");
    CHECK(phase_after("command: [sh, -c, 'sleep inf; sleep inf']", 24h) == "Running");
}

TEST_CASE("init containers go before, and fail the pod", "[sim][cluster]") {
    const auto phase = [](const std::string& init, Duration length) {
        ClusterWorld world;
        world.create_yaml(
            "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {restartPolicy: Never, "
            "initContainers: [" +
            init + "], containers: [{name: c, image: x, command: [sleep, '100']}]}}"
        );
        world.pass(length);
        return std::string(text_at(world.get(kPod), {"status", "phase"}));
    };
    CHECK(phase("{name: i, image: x, command: [sh, -c, exit 1]}", 60s) == "Failed");
    CHECK(phase("{name: i, image: x, command: ['true']}", 60s) == "Running");
    const std::string slow = "{name: i, image: x, command: [sleep, '50']}";
    CHECK(phase(slow, 140s) == "Running");
    CHECK(phase(slow, 151s) == "Succeeded");
    const std::string beside = "{name: i, image: x, restartPolicy: Always, command: [sleep, '50']}";
    CHECK(phase(beside, 101s) == "Succeeded");
}

TEST_CASE("a pod whose probe says false is never ready", "[sim][cluster]") {
    const auto readiness = [](const std::string& probe) {
        ClusterWorld world;
        world.create_yaml(
            "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: "
            "x, readinessProbe: {exec: {command: " +
            probe + "}}}]}}"
        );
        world.pass(10s);
        const json::Value pod = world.get(kPod);
        REQUIRE(text_at(pod, {"status", "phase"}) == "Running");
        const json::Value* ready =
            find_element(list_at(pod, {"status", "conditions"}), "type", "Ready");
        REQUIRE(ready != nullptr);
        const json::Value& container = list_at(pod, {"status", "containerStatuses"}).front();
        CHECK(
            (*container.find("ready") == json::Value(true)) ==
            (ready->string_at("status") == "True")
        );
        return std::string(ready->string_at("status"));
    };
    CHECK(readiness("['false']") == "False");
    CHECK(readiness("[/bin/sh, -c, exit 1]") == "False");
    CHECK(readiness("['true']") == "True");
    CHECK(readiness("[cat, /tmp/ready]") == "True");
}

TEST_CASE("a pod is ready once its readiness gates are", "[sim][cluster]") {
    ClusterWorld world;
    world.create_yaml(
        "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {readinessGates: [{conditionType: "
        "example.com/open}], containers: [{name: c, image: x}]}}"
    );
    const auto status_of = [&world](std::string_view type) {
        const json::Value pod = world.get(kPod);
        const json::Value* found =
            find_element(list_at(pod, {"status", "conditions"}), "type", type);
        return found == nullptr ? "" : std::string(found->string_at("status"));
    };
    const auto open = [&world](const char* status) {
        world.send(
            "PATCH",
            std::string(kPod) + "/status",
            std::string("{status: {conditions: [{type: example.com/open, status: '") + status +
                "'}]}}",
            "application/strategic-merge-patch+json"
        );
    };
    world.pass(1s);
    CHECK(status_of("ContainersReady") == "True");
    CHECK(status_of("Ready") == "False");
    open("True");
    CHECK(status_of("Ready") == "True");
    open("False");
    CHECK(status_of("Ready") == "False");
    CHECK(status_of("ContainersReady") == "True");
}

TEST_CASE("the kubelet of a pod tells which generation of it it has seen", "[sim][cluster]") {
    ClusterWorld world;
    world.create_yaml(
        "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: "
        "x}]}}"
    );
    world.pass(1s);
    CHECK(find_int(world.get(kPod), {"status", "observedGeneration"}) == 1);
    world.send("PATCH", kPod, "{spec: {activeDeadlineSeconds: 1000}}");
    world.pass(1s);
    CHECK(find_int(world.get(kPod), {"metadata", "generation"}) == 2);
    CHECK(find_int(world.get(kPod), {"status", "observedGeneration"}) == 2);
}

}  // namespace sluice::sim
