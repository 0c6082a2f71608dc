#include "cluster_world.hpp"
#include "sim/fields.hpp"

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

TEST_CASE("a pod that sleeps less, or says something else, runs as all do", "[sim][cluster]") {
    for (const char* command :
         {"command: [sleep, '5']",
          "command: [sleep, '-300']",
          "command: [sleep, 300x]",
          "command: [sleep, '']",
          "command: [sleep, '300', '300']",
          "command: [sh, -c, sleep 300 | cat]",
          "command: [sh, -c, '']",
          "args: ['300']",
          "command: [oversleep, '300']"}) {
        CAPTURE(command);
        CHECK(phase_after(command, 29s) == "Running");
        CHECK(phase_after(command, 31s) == "Succeeded");
    }
}

TEST_CASE("a pod ends as its command says", "[sim][cluster]") {
    for (const char* command :
         {"command: ['false']",
          "command: [sh, -c, exit 3]",
          "command: [sh, -c, 'echo hi; exit 1']",
          "command: [/bin/sh, -c], args: ['true && exit 255']"}) {
        CAPTURE(command);
        CHECK(phase_after(command, 29s) == "Running");
        CHECK(phase_after(command, 31s) == "Failed");
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
    CHECK(phase_after("command: [sh, -c, 'exit 1; sleep 100']", 31s) == "Failed");
    CHECK(phase_after("command: [sh, -c, 'sleep inf; sleep inf']", 24h) == "Running");
}

}  // namespace sluice::sim
