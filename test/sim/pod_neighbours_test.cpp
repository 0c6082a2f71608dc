#include "cluster_world.hpp"
#include "sim/objects/fields.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>

// Where pods go for the sake of other pods.
namespace sluice::sim {

using namespace std::chrono_literals;
using test::ClusterWorld;

namespace {

/// A world of four nodes in two zones, named by the letter of the zone and a number.
class ZonesWorld : public ClusterWorld {
  public:
    ZonesWorld() {
        send("DELETE", "/api/v1/nodes/node-1");
        for (const std::string name : {"a1", "a2", "b1", "b2"}) {
            create_yaml(fmt::format(
                "{{apiVersion: v1, kind: Node, metadata: {{name: {}, labels: "
                "{{kubernetes.io/hostname: {}, zone: {}}}}}, status: {{allocatable: {{cpu: '8', "
                "pods: '20'}}, conditions: [{{type: Ready, status: 'True'}}]}}}}",
                name,
                name,
                name.front()
            ));
        }
    }
};

void add_pod(ClusterWorld& world, const std::string& name, const std::string& spec) {
    world.create_yaml(fmt::format(
        "{{apiVersion: v1, kind: Pod, metadata: {{name: {}, labels: {{app: {}}}}}, spec: {{{}, "
        "containers: [{{name: c, image: x}}]}}}}",
        name,
        name.substr(0, name.find('-')),
        spec
    ));
    world.pass(1s);
}

std::string node_of(ClusterWorld& world, const std::string& name) {
    return std::string(
        text_at(world.get("/api/v1/namespaces/default/pods/" + name), {"spec", "nodeName"})
    );
}

std::string reason_of(ClusterWorld& world, const std::string& name) {
    const json::Value pod = world.get("/api/v1/namespaces/default/pods/" + name);
    const json::Value* scheduled =
        find_element(list_at(pod, {"status", "conditions"}), "type", "PodScheduled");
    return scheduled == nullptr ? "" : std::string(scheduled->string_at("message"));
}

std::string term(const std::string& kind, const std::string& app, const std::string& key) {
    return fmt::format(
        "affinity: {{{}: {{requiredDuringSchedulingIgnoredDuringExecution: [{{topologyKey: {}, "
        "labelSelector: {{matchLabels: {{app: {}}}}}}}]}}}}",
        kind,
        key,
        app
    );
}

}  // namespace

TEST_CASE("pods that want to be apart are apart", "[sim][placement]") {
    ZonesWorld world;
    const std::string apart = term("podAntiAffinity", "one", "zone");
    add_pod(world, "one-1", apart);
    add_pod(world, "one-2", apart);
    add_pod(world, "one-3", apart);
    CHECK(node_of(world, "one-1").substr(0, 1) != node_of(world, "one-2").substr(0, 1));
    CHECK(node_of(world, "one-3").empty());
    CHECK(
        reason_of(world, "one-3") ==
        "0/4 nodes are available: 4 node(s) didn't match pod anti-affinity rules."
    );
    SECTION("also from one that does not ask") {
        add_pod(world, "guard", term("podAntiAffinity", "any", "kubernetes.io/hostname"));
        add_pod(world, "any", "priority: 0");
        CHECK(node_of(world, "any") != node_of(world, "guard"));
    }
    SECTION("until there is room") {
        world.send("DELETE", "/api/v1/namespaces/default/pods/one-1?gracePeriodSeconds=0");
        world.pass(1s);
        CHECK(!node_of(world, "one-3").empty());
    }
}

TEST_CASE("pods that want to be near others go to them", "[sim][placement]") {
    ZonesWorld world;
    add_pod(world, "near-1", term("podAffinity", "far", "zone"));
    CHECK(
        reason_of(world, "near-1") ==
        "0/4 nodes are available: 4 node(s) didn't match pod affinity rules."
    );
    add_pod(world, "far", "nodeSelector: {zone: b}");
    CHECK(node_of(world, "near-1").substr(0, 1) == "b");
    // The first of some that want to be together has nobody to go to.
    add_pod(world, "group-1", term("podAffinity", "group", "zone"));
    add_pod(world, "group-2", term("podAffinity", "group", "zone"));
    CHECK(node_of(world, "group-1").substr(0, 1) == node_of(world, "group-2").substr(0, 1));
    CHECK(!node_of(world, "group-1").empty());
}

TEST_CASE("pods spread as far as they say", "[sim][placement]") {
    ZonesWorld world;
    const std::string even =
        "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: "
        "DoNotSchedule, labelSelector: {matchLabels: {app: even}}}]";
    std::map<std::string, int> zones;
    for (const char* name : {"even-1", "even-2", "even-3", "even-4", "even-5", "even-6"}) {
        add_pod(world, name, even);
        ++zones[node_of(world, name).substr(0, 1)];
    }
    CHECK(zones == std::map<std::string, int>{{"a", 3}, {"b", 3}});
    SECTION("nodes without the label take none") {
        add_pod(
            world,
            "rack-1",
            "topologySpreadConstraints: [{maxSkew: 1, topologyKey: rack, whenUnsatisfiable: "
            "DoNotSchedule, labelSelector: {matchLabels: {app: rack}}}]"
        );
        CHECK(
            reason_of(world, "rack-1") ==
            "0/4 nodes are available: 4 node(s) didn't match pod topology spread constraints "
            "(missing required label)."
        );
    }
    SECTION("more than there may be of one zone wait") {
        for (const char* name : {"even-7", "even-8"}) {
            add_pod(world, name, "nodeSelector: {zone: a}, " + even);
        }
        // The zones that the selector leaves are counted alone.
        CHECK(node_of(world, "even-8").substr(0, 1) == "a");
        add_pod(
            world,
            "even-9",
            "nodeSelector: {zone: a}, topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, "
            "nodeAffinityPolicy: Ignore, whenUnsatisfiable: DoNotSchedule, labelSelector: "
            "{matchLabels: {app: even}}}]"
        );
        CHECK(node_of(world, "even-9").empty());
    }
}

TEST_CASE("a pod of another scheduler gets no node", "[sim][placement]") {
    ZonesWorld world;
    add_pod(world, "theirs", "schedulerName: theirs");
    CHECK(node_of(world, "theirs").empty());
    CHECK(reason_of(world, "theirs").empty());
}

}  // namespace sluice::sim
