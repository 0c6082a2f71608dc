#include "cluster_world.hpp"
#include "sim/fields.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <chrono>
#include <string>

namespace sluice::test {

using namespace std::chrono_literals;
using sim::text_at;

namespace {

std::string pod_yaml(std::string_view name, std::string_view spec) {
    return fmt::format(
        "{{apiVersion: v1, kind: Pod, metadata: {{name: {}}}, spec: {{restartPolicy: Never, {}}}}}",
        name,
        spec
    );
}

std::string with_port(std::string_view port) {
    return fmt::format("containers: [{{name: c, image: i, ports: [{}]}}]", port);
}

/// Whether `second` fits beside `first` on the one node.
bool fit_together(std::string_view first, std::string_view second) {
    ClusterWorld world;
    world.create_yaml(pod_yaml("first", first));
    world.create_yaml(pod_yaml("second", second));
    CHECK(text_at(world.pods().front(), {"spec", "nodeName"}) == "node-1");
    return !text_at(world.pods().back(), {"spec", "nodeName"}).empty();
}

bool are_free_together(std::string_view first, std::string_view second) {
    return fit_together(with_port(first), with_port(second));
}

}  // namespace

TEST_CASE("a port of a node is one pod's", "[sim][ports]") {
    CHECK_FALSE(are_free_together(
        "{containerPort: 80, hostPort: 5555}", "{containerPort: 81, hostPort: 5555}"
    ));
    CHECK(are_free_together("{containerPort: 80}", "{containerPort: 80}"));
    CHECK(are_free_together(
        "{containerPort: 80, hostPort: 5555}", "{containerPort: 80, hostPort: 5556}"
    ));
    CHECK(are_free_together(
        "{containerPort: 80, hostPort: 5555}", "{containerPort: 80, hostPort: 5555, protocol: UDP}"
    ));
}

TEST_CASE("a port of a node is taken at an address of it, or at all", "[sim][ports]") {
    const std::string at_one = "{containerPort: 80, hostPort: 5555, hostIP: 127.0.0.1}";
    const std::string at_other = "{containerPort: 80, hostPort: 5555, hostIP: 127.0.0.2}";
    const std::string at_all = "{containerPort: 80, hostPort: 5555, hostIP: 0.0.0.0}";
    CHECK(are_free_together(at_one, at_other));
    CHECK_FALSE(are_free_together(at_one, at_one));
    CHECK_FALSE(are_free_together(at_one, at_all));
    CHECK_FALSE(are_free_together(at_all, at_other));
}

TEST_CASE("the ports of pods on the host's network are the node's", "[sim][ports]") {
    const std::string on_host = "hostNetwork: true, " + with_port("{containerPort: 5555}");
    CHECK_FALSE(fit_together(on_host, with_port("{containerPort: 80, hostPort: 5555}")));
}

TEST_CASE("init containers that go on have ports of the node", "[sim][ports]") {
    const std::string port = "ports: [{containerPort: 80, hostPort: 5555}]}], ";
    const std::string plain = "containers: [{name: c, image: i}]";
    const std::string taking = with_port("{containerPort: 80, hostPort: 5555}");
    CHECK_FALSE(fit_together(
        "initContainers: [{name: s, image: i, restartPolicy: Always, " + port + plain, taking
    ));
    CHECK(fit_together("initContainers: [{name: s, image: i, " + port + plain, taking));
}

TEST_CASE("a pod that waits for a port says so, and has it when it is free", "[sim][ports]") {
    ClusterWorld world;
    const std::string port = with_port("{containerPort: 80, hostPort: 5555}");
    world.create_yaml(pod_yaml("first", port));
    world.create_yaml(pod_yaml("second", port));
    const json::Value waiting = world.pods().back();
    const json::Value* condition =
        sim::find_element(sim::list_at(waiting, {"status", "conditions"}), "type", "PodScheduled");
    REQUIRE(condition != nullptr);
    CHECK(condition->string_at("reason") == "Unschedulable");
    CHECK(
        condition->string_at("message") ==
        "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports."
    );
    world.pass(30s);
    CHECK(text_at(world.pods().front(), {"status", "phase"}) == "Succeeded");
    CHECK(text_at(world.pods().back(), {"spec", "nodeName"}) == "node-1");
}

}  // namespace sluice::test
