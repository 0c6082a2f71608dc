#include "cluster_world.hpp"
#include "sim/fields.hpp"
#include "sim/node_spec.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <set>
#include <string>
#include <vector>

namespace sluice::test {

using sim::find_int;
using sim::text_at;

namespace {

const std::string kDaemonSet = "/apis/apps/v1/namespaces/default/daemonsets/agent";
const std::string kRevisions = "/apis/apps/v1/namespaces/default/controllerrevisions";
const std::string kPods = "/api/v1/namespaces/default/pods/";

constexpr std::string_view kNewImage =
    "{spec: {template: {spec: {containers: [{name: c, image: 'i:2'}]}}}}";

/// One node more than there is; `spec`: as `sluice dev` takes it.
void add_nodes(ClusterWorld& world, std::string_view spec) {
    for (const json::Value& node : *sim::make_nodes(spec)) {
        world.create(node);
    }
}

void create(ClusterWorld& world, const std::string& spec = "updateStrategy: {}") {
    world.create_yaml(
        "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: agent}, spec: {selector: "
        "{matchLabels: {app: x}}, template: {metadata: {labels: {app: x}}, spec: {containers: "
        "[{name: c, image: 'i:1'}]}}, " +
        spec + "}}"
    );
}

/// The nodes that its pods are on, once for each pod.
std::multiset<std::string> nodes_of_pods(ClusterWorld& world) {
    std::multiset<std::string> found;
    for (const json::Value& pod : world.pods()) {
        found.emplace(text_at(pod, {"spec", "nodeName"}));
    }
    return found;
}

std::set<std::string> images(ClusterWorld& world) {
    std::set<std::string> found;
    for (const json::Value& pod : world.pods()) {
        found.emplace(sim::list_at(pod, {"spec", "containers"}).front().string_at("image"));
    }
    return found;
}

using Names = std::multiset<std::string>;

}  // namespace

TEST_CASE("a DaemonSet has a pod on each node", "[sim][apps]") {
    ClusterWorld world;
    add_nodes(world, "more: 2x cpu=4");
    create(world);
    CHECK(nodes_of_pods(world) == Names{"more-1", "more-2", "node-1"});
    const json::Value set = world.get(kDaemonSet);
    CHECK(find_int(set, {"status", "desiredNumberScheduled"}) == 3);
    CHECK(find_int(set, {"status", "currentNumberScheduled"}) == 3);
    CHECK(find_int(set, {"status", "updatedNumberScheduled"}) == 3);
    CHECK(find_int(set, {"status", "numberReady"}) == 3);
    CHECK(find_int(set, {"status", "numberMisscheduled"}) == 0);
    CHECK(find_int(set, {"status", "observedGeneration"}) == 1);
    const json::Value pod = world.pods().front();
    CHECK(text_at(pod, {"metadata", "labels", "pod-template-generation"}) == "1");
    SECTION("a node that comes gets one") {
        add_nodes(world, "late: 1x cpu=4");
        CHECK(nodes_of_pods(world) == Names{"late-1", "more-1", "more-2", "node-1"});
    }
    SECTION("a node that goes takes its own with it") {
        world.send("DELETE", "/api/v1/nodes/node-1");
        CHECK(nodes_of_pods(world) == Names{"more-1", "more-2"});
        CHECK(find_int(world.get(kDaemonSet), {"status", "desiredNumberScheduled"}) == 2);
    }
    SECTION("one that is deleted or has failed is made anew on its node") {
        const std::string name(text_at(pod, {"metadata", "name"}));
        if (GENERATE(false, true)) {
            world.send("DELETE", kPods + name);
        } else {
            world.send("PATCH", kPods + name + "/status", "{status: {phase: Failed}}");
            CHECK(world.get(kPods + name).is_null());
        }
        CHECK(nodes_of_pods(world) == Names{"more-1", "more-2", "node-1"});
    }
    SECTION("a node that is cordoned keeps its own") {
        world.send("PATCH", "/api/v1/nodes/node-1", "{spec: {unschedulable: true}}");
        world.send("DELETE", kPods + std::string(text_at(pod, {"metadata", "name"})));
        CHECK(nodes_of_pods(world) == Names{"more-1", "more-2", "node-1"});
    }
    SECTION("all go with it, and so do its revisions") {
        world.send("DELETE", kDaemonSet);
        CHECK(world.pods().empty());
        CHECK(world.list(kRevisions).empty());
    }
}

TEST_CASE("a DaemonSet is only on nodes that its template may run on", "[sim][apps]") {
    ClusterWorld world;
    add_nodes(world, "blue: 1x cpu=4,label:color=blue");
    create(world);
    world.send("PATCH", kDaemonSet, "{spec: {template: {spec: {nodeSelector: {color: blue}}}}}");
    CHECK(nodes_of_pods(world) == Names{"blue-1"});
    CHECK(find_int(world.get(kDaemonSet), {"status", "desiredNumberScheduled"}) == 1);
    world.send("PATCH", "/api/v1/nodes/blue-1", "{metadata: {labels: {color: green}}}");
    CHECK(world.pods().empty());
    CHECK(find_int(world.get(kDaemonSet), {"status", "numberMisscheduled"}) == 0);
    world.send("PATCH", "/api/v1/nodes/node-1", "{metadata: {labels: {color: blue}}}");
    CHECK(nodes_of_pods(world) == Names{"node-1"});
}

TEST_CASE("a new template of a DaemonSet replaces its pods", "[sim][apps]") {
    const auto strategy = GENERATE(
        "updateStrategy: {type: RollingUpdate}",
        "updateStrategy: {rollingUpdate: {maxUnavailable: 100%}}",
        "updateStrategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}"
    );
    ClusterWorld world;
    add_nodes(world, "more: 2x cpu=4");
    create(world, strategy);
    world.send("PATCH", kDaemonSet, kNewImage);
    CHECK(images(world) == std::set<std::string>{"i:2"});
    CHECK(nodes_of_pods(world) == Names{"more-1", "more-2", "node-1"});
    CHECK(find_int(world.get(kDaemonSet), {"status", "updatedNumberScheduled"}) == 3);
    const std::string generation = "pod-template-generation";
    CHECK(text_at(world.pods().front(), {"metadata", "labels", generation}) == "2");
}

TEST_CASE("pods of a DaemonSet are left to its user where the strategy says so", "[sim][apps]") {
    ClusterWorld world;
    create(world, "updateStrategy: {type: OnDelete}");
    world.send("PATCH", kDaemonSet, kNewImage);
    CHECK(images(world) == std::set<std::string>{"i:1"});
    world.send("DELETE", kPods + world.pod_names().front());
    CHECK(images(world) == std::set<std::string>{"i:2"});
}

TEST_CASE("a DaemonSet has a revision for each of its templates", "[sim][apps]") {
    ClusterWorld world;
    create(world);
    const json::Value first = world.list(kRevisions).front();
    CHECK(find_int(first, {"revision"}) == 1);
    CHECK(text_at(first, {"data", "spec", "template", "$patch"}) == "replace");
    CHECK(text_at(first, {"metadata", "labels", "app"}) == "x");
    const std::string hash(text_at(first, {"metadata", "labels", "controller-revision-hash"}));
    CHECK(text_at(first, {"metadata", "name"}) == "agent-" + hash);
    CHECK(
        text_at(world.pods().front(), {"metadata", "labels", "controller-revision-hash"}) == hash
    );
    world.send("PATCH", kDaemonSet, kNewImage);
    CHECK(world.list(kRevisions).size() == 2);
    SECTION("one that comes back is the newest again") {
        world.send(
            "PATCH",
            kDaemonSet,
            "{spec: {template: {spec: {containers: [{name: c, image: 'i:1'}]}}}}"
        );
        CHECK(world.list(kRevisions).size() == 2);
        CHECK(find_int(world.get(kRevisions + "/agent-" + hash), {"revision"}) == 3);
        CHECK(images(world) == std::set<std::string>{"i:1"});
    }
    SECTION("old ones go beyond the limit") {
        world.send("PATCH", kDaemonSet, "{spec: {revisionHistoryLimit: 0}}");
        CHECK(world.list(kRevisions).size() == 1);
        CHECK(find_int(world.list(kRevisions).front(), {"revision"}) == 2);
    }
    SECTION("what is written to them is no reason to look at it") {
        world.send("DELETE", kRevisions + "/agent-" + hash);
        const std::string second(text_at(world.list(kRevisions).front(), {"metadata", "name"}));
        world.send("DELETE", kRevisions + "/" + second);
        CHECK(world.list(kRevisions).empty());
    }
}

}  // namespace sluice::test
