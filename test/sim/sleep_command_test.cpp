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
          "command: [sh, -c, sleep 300 && exit 1]",
          "command: [sh, -c, '']",
          "args: ['300']",
          "command: [oversleep, '300']"}) {
        CAPTURE(command);
        CHECK(phase_after(command, 29s) == "Running");
        CHECK(phase_after(command, 31s) == "Succeeded");
    }
}

}  // namespace sluice::sim
