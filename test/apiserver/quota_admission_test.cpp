#include "apiserver/server_client.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <string>
#include <string_view>

// What ResourceQuotas, LimitRanges and RuntimeClasses make of pods and other objects.
namespace sluice::test {

namespace {

const std::string kMaps(kConfigMaps);
const std::string kPodPath(kPods);
constexpr std::string_view kQuotas = "/api/v1/namespaces/default/resourcequotas";
constexpr std::string_view kRanges = "/api/v1/namespaces/default/limitranges";
constexpr std::string_view kMerge = "application/merge-patch+json";

std::string pod(std::string_view name, std::string_view resources) {
    return "{metadata: {name: " + std::string(name) +
           "}, spec: {containers: [{name: c, image: i, resources: " + std::string(resources) +
           "}]}}";
}

}  // namespace

TEST_CASE("a quota counts what its namespace has, and refuses more", "[apiserver][admission]") {
    ServerClient client;
    REQUIRE(
        client.outcome(
            "POST", kQuotas, "{metadata: {name: q}, spec: {hard: {configmaps: 1, pods: 2}}}"
        ) == "201"
    );
    const std::string quota = std::string(kQuotas) + "/q";
    CHECK(client.at(quota, {"status", "used"}) == R"({"configmaps":"0","pods":"0"})");
    CHECK(client.outcome("POST", kMaps, "{metadata: {name: a}}") == "201");
    CHECK(client.at(quota, {"status", "used", "configmaps"}) == "1");
    CHECK(
        client.outcome("POST", kMaps, "{metadata: {name: b}}") ==
        "403 Forbidden: configmaps \"b\" is forbidden: exceeded quota: q, requested: "
        "configmaps=1, used: configmaps=1, limited: configmaps=1"
    );
    SECTION("a change of what is there needs no room") {
        CHECK(client.outcome("PATCH", kMaps + "/a", "{data: {x: z}}", kMerge) == "200");
    }
    SECTION("what is deleted makes room") {
        CHECK(client.outcome("DELETE", kMaps + "/a") == "200");
        CHECK(client.at(quota, {"status", "used", "configmaps"}) == "0");
        CHECK(client.outcome("POST", kMaps, "{metadata: {name: b}}") == "201");
    }
    SECTION("another namespace has its own room") {
        REQUIRE(client.outcome("POST", "/api/v1/namespaces", "{metadata: {name: space}}") == "201");
        const std::string elsewhere = "/api/v1/namespaces/space/configmaps";
        CHECK(client.outcome("POST", elsewhere, "{metadata: {name: b}}") == "201");
    }
}

TEST_CASE("a quota counts devices by their class", "[apiserver][admission]") {
    ServerClient client;
    constexpr std::string_view kGold = "gold.deviceclass.resource.k8s.io/devices";
    REQUIRE(
        client.outcome(
            "POST", kQuotas, "{metadata: {name: q}, spec: {hard: {" + std::string(kGold) + ": 6}}}"
        ) == "201"
    );
    const std::string_view kClaims = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
    const auto claim = [&client, kClaims](std::string_view name, std::string_view requests) {
        return client.outcome(
            "POST",
            kClaims,
            "{metadata: {name: " + std::string(name) + "}, spec: {devices: {requests: [" +
                std::string(requests) + "]}}}"
        );
    };
    const auto used = [&client] {
        return client.at(
            std::string(kQuotas) + "/q",
            {"status", "used", "gold.deviceclass.resource.k8s.io/devices"}
        );
    };
    CHECK(claim("a", "{name: r, exactly: {deviceClassName: gold}}") == "201");
    CHECK(used() == "1");
    CHECK(claim("b", "{name: r, exactly: {deviceClassName: silver, count: 9}}") == "201");
    CHECK(used() == "1");
    CHECK(
        claim(
            "c",
            "{name: r, firstAvailable: [{name: one, deviceClassName: gold, count: 3}, {name: two, "
            "deviceClassName: gold, count: 2}]}, {name: s, exactly: {deviceClassName: gold}}"
        ) == "201"
    );
    CHECK(used() == "5");
    CHECK(
        claim("d", "{name: r, exactly: {deviceClassName: gold, allocationMode: All}}") ==
        "403 Forbidden: resourceclaims.resource.k8s.io \"d\" is forbidden: exceeded quota: q, "
        "requested: gold.deviceclass.resource.k8s.io/devices=32, used: "
        "gold.deviceclass.resource.k8s.io/devices=5, limited: "
        "gold.deviceclass.resource.k8s.io/devices=6"
    );
    CHECK(client.outcome("DELETE", std::string(kClaims) + "/c") == "200");
    CHECK(used() == "1");
}

TEST_CASE(
    "a quota is about claims with the attributes class that it names", "[apiserver][admission]"
) {
    ServerClient client;
    const std::string claims = "/api/v1/namespaces/default/persistentvolumeclaims";
    const auto create = [&](const std::string& name, const std::string& attributes_class) {
        return client.outcome(
            "POST",
            claims,
            "{metadata: {name: " + name +
                "}, spec: {volumeAttributesClassName: " + attributes_class +
                ", accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}"
        );
    };
    REQUIRE(
        client.outcome(
            "POST",
            kQuotas,
            "{metadata: {name: q}, spec: {hard: {persistentvolumeclaims: 1}, scopeSelector: "
            "{matchExpressions: [{scopeName: VolumeAttributesClass, operator: In, values: "
            "[gold]}]}}}"
        ) == "201"
    );
    const std::string quota = std::string(kQuotas) + "/q";
    const auto used = [&] {
        return client.at(quota, {"status", "used", "persistentvolumeclaims"});
    };
    CHECK(create("a", "silver") == "201");
    CHECK(used() == "0");
    CHECK(create("b", "gold") == "201");
    CHECK(used() == "1");
    CHECK(create("c", "gold").starts_with("403 Forbidden: "));
    // A claim is counted for the class that it still has, too.
    const std::string current = "{status: {currentVolumeAttributesClassName: gold}}";
    REQUIRE(client.outcome("DELETE", claims + "/b") == "200");
    CHECK(used() == "0");
    CHECK(client.outcome("PATCH", claims + "/a/status", current, kMerge) == "200");
    CHECK(used() == "1");
}

TEST_CASE("a quota knows of all writes what a new one counts", "[apiserver][admission]") {
    ServerClient client;
    const std::string all =
        "{hard: {pods: 100, requests.cpu: 100, memory: 100Gi, configmaps: 100, count/configmaps: "
        "100, resourcequotas: 10, services.nodeports: 100}}";
    const std::string some = "{hard: {pods: 100, cpu: '100'}, scopes: [NotBestEffort]}";
    const auto add_quota = [&](const std::string& name, const std::string& spec) {
        return client.outcome(
            "POST", kQuotas, "{metadata: {name: " + name + "}, spec: " + spec + "}"
        );
    };
    const auto used = [&](const std::string& name) {
        return client.at(std::string(kQuotas) + "/" + name, {"status", "used"});
    };
    REQUIRE(add_quota("all", all) == "201");
    REQUIRE(add_quota("some", some) == "201");
    for (const char* name : {"a", "b", "c", "d"}) {
        const std::string resources = "{requests: {cpu: 300m, memory: 1Gi}}";
        REQUIRE(client.outcome("POST", kPods, pod(name, resources)) == "201");
        REQUIRE(
            client.outcome("POST", kMaps, "{metadata: {name: " + std::string(name) + "}}") == "201"
        );
    }
    const std::string ended = "{status: {phase: Succeeded}}";
    REQUIRE(client.outcome("PATCH", kPodPath + "/a/status", ended, kMerge) == "200");
    REQUIRE(client.outcome("DELETE", kPodPath + "/b") == "200");
    REQUIRE(client.outcome("DELETE", kMaps) == "200");
    REQUIRE(
        client.outcome(
            "POST",
            "/api/v1/namespaces/default/services",
            "{metadata: {name: s}, spec: {type: NodePort, ports: [{port: 80}]}}"
        ) == "201"
    );
    CHECK(used("some") == R"({"cpu":"600m","pods":"2"})");
    REQUIRE(add_quota("all-again", all) == "201");
    REQUIRE(add_quota("some-again", some) == "201");
    CHECK(used("all") == used("all-again"));
    CHECK(used("some") == used("some-again"));
    SECTION("also after its limits have changed") {
        const std::string all_quota = std::string(kQuotas) + "/all";
        REQUIRE(
            client.outcome("PATCH", all_quota, "{spec: {hard: {secrets: 5}}}", kMerge) == "200"
        );
        REQUIRE(client.outcome("POST", kMaps, "{metadata: {name: e}}") == "201");
        CHECK(client.at(all_quota, {"status", "used", "configmaps"}) == "1");
        CHECK(client.at(all_quota, {"status", "used", "secrets"}) == "0");
    }
    SECTION("not of what is no longer there") {
        REQUIRE(client.outcome("DELETE", kPodPath) == "200");
        CHECK(used("some") == R"({"cpu":"0","pods":"0"})");
        CHECK(used("all") == used("all-again"));
    }
}

TEST_CASE("a quota of cpu wants pods to say what they need", "[apiserver][admission]") {
    ServerClient client;
    REQUIRE(
        client.outcome("POST", kQuotas, "{metadata: {name: q}, spec: {hard: {cpu: '1'}}}") == "201"
    );
    CHECK(
        client.outcome("POST", kPods, pod("a", "{}")) ==
        "403 Forbidden: pods \"a\" is forbidden: failed quota: q: must specify cpu for: c"
    );
    CHECK(client.outcome("POST", kPods, pod("a", "{requests: {cpu: 600m}}")) == "201");
    CHECK(
        client.outcome("POST", kPods, pod("b", "{requests: {cpu: 500m}}")) ==
        "403 Forbidden: pods \"b\" is forbidden: exceeded quota: q, requested: cpu=500m, used: "
        "cpu=600m, limited: cpu=1"
    );
    // A pod that has ended needs nothing.
    REQUIRE(
        client.outcome("PATCH", kPodPath + "/a/status", "{status: {phase: Succeeded}}", kMerge) ==
        "200"
    );
    CHECK(client.outcome("POST", kPods, pod("b", "{requests: {cpu: 500m}}")) == "201");
}

TEST_CASE("a quota with a scope counts only such pods", "[apiserver][admission]") {
    ServerClient client;
    REQUIRE(
        client.outcome(
            "POST",
            kQuotas,
            "{metadata: {name: q}, spec: {hard: {pods: 0}, scopes: [NotBestEffort]}}"
        ) == "201"
    );
    CHECK(client.outcome("POST", kPods, pod("a", "{}")) == "201");
    CHECK(client.outcome("POST", kPods, pod("b", "{requests: {cpu: 1m}}"))
              .starts_with("403 Forbidden"));
}

TEST_CASE("a LimitRange fills in and bounds what containers ask for", "[apiserver][admission]") {
    ServerClient client;
    REQUIRE(
        client.outcome(
            "POST",
            kRanges,
            "{metadata: {name: r}, spec: {limits: [{type: Container, default: {cpu: 500m}, "
            "defaultRequest: {cpu: 100m}, max: {cpu: '1'}, min: {cpu: 50m}}]}}"
        ) == "201"
    );
    CHECK(client.outcome("POST", kPods, pod("a", "{}")) == "201");
    const json::Value made = client.ask("GET", kPodPath + "/a");
    CHECK(
        json::print(*made.find_path({"spec", "containers"})->as_array()[0].find("resources")) ==
        R"({"limits":{"cpu":"500m"},"requests":{"cpu":"100m"}})"
    );
    CHECK(
        client.at(kPodPath + "/a", {"metadata", "annotations", "kubernetes.io/limit-ranger"}) ==
        "LimitRanger plugin set: cpu request for container c; cpu limit for container c"
    );
    CHECK(
        client.outcome("POST", kPods, pod("b", "{limits: {cpu: '2'}}")) ==
        "403 Forbidden: pods \"b\" is forbidden: maximum cpu usage per Container is 1, but limit "
        "is 2"
    );
    CHECK(
        client.outcome("POST", kPods, pod("b", "{requests: {cpu: 10m}}")) ==
        "403 Forbidden: pods \"b\" is forbidden: minimum cpu usage per Container is 50m, but "
        "request is 10m"
    );
}

TEST_CASE("limits are requests before a LimitRange fills in the rest", "[apiserver][admission]") {
    ServerClient client;
    REQUIRE(
        client.outcome(
            "POST",
            kRanges,
            "{metadata: {name: r}, spec: {limits: [{type: Container, defaultRequest: {cpu: '1', "
            "memory: 1Gi}}]}}"
        ) == "201"
    );
    REQUIRE(client.outcome("POST", kPods, pod("a", "{limits: {cpu: '3'}}")) == "201");
    const json::Value made = client.ask("GET", kPodPath + "/a");
    CHECK(
        json::print(*made.find_path({"spec", "containers"})->as_array()[0].find("resources")) ==
        R"({"limits":{"cpu":"3"},"requests":{"cpu":"3","memory":"1Gi"}})"
    );
}

TEST_CASE("pods get the pod-level requests that they leave out", "[apiserver][admission]") {
    ServerClient client;
    const auto resources_of = [&](const std::string& name, const std::string& spec) {
        REQUIRE(
            client.outcome(
                "POST", kPods, "{metadata: {name: " + name + "}, spec: {" + spec + "}}"
            ) == "201"
        );
        return client.at(kPodPath + "/" + name, {"spec", "resources"});
    };
    CHECK(
        resources_of(
            "from-containers",
            "resources: {limits: {cpu: '3', memory: 1Gi}}, containers: [{name: c, image: i, "
            "resources: {limits: {cpu: 500m}}}]"
        ) == R"({"limits":{"cpu":"3","memory":"1Gi"},"requests":{"cpu":"500m","memory":"1Gi"}})"
    );
    CHECK(
        resources_of(
            "requests-alone", "resources: {requests: {cpu: '3'}}, containers: [{name: c, image: i}]"
        ) == R"({"requests":{"cpu":"3"}})"
    );
    CHECK(
        resources_of(
            "huge-pages",
            "resources: {limits: {memory: 1Gi}}, containers: [{name: c, image: i, resources: "
            "{limits: {hugepages-2Mi: 4Mi}}}]"
        ) == R"({"limits":{"hugepages-2Mi":"4Mi","memory":"1Gi"},)"
             R"("requests":{"hugepages-2Mi":"4Mi","memory":"1Gi"}})"
    );
}

TEST_CASE("pod-level amounts cover what the containers have", "[apiserver][admission]") {
    ServerClient client;
    const auto refusal = [&](const std::string& spec) {
        return client.outcome("POST", kPods, "{metadata: {name: a}, spec: {" + spec + "}}");
    };
    CHECK(
        refusal("resources: {requests: {cpu: 1m}}, containers: [{name: c, image: i, resources: "
                "{limits: {cpu: '60'}}}]") ==
        "422 Invalid: Pod \"a\" is invalid: spec.resources.requests[cpu]: Invalid value: \"1m\": "
        "must be greater than or equal to aggregate container requests of 60"
    );
    CHECK(
        refusal("resources: {limits: {cpu: '1'}}, containers: [{name: c, image: i, resources: "
                "{requests: {cpu: 1m}, limits: {cpu: '60'}}}]") ==
        "422 Invalid: Pod \"a\" is invalid: spec.resources.containers[0][cpu].limits: Invalid "
        "value: \"60\": must be less than or equal to pod limits of 1"
    );
    CHECK(refusal("resources: {requests: {example.com/gpu: '1'}}, containers: [{name: c, image: i}]"
    )
              .starts_with(
                  "422 Invalid: Pod \"a\" is invalid: [spec.resources.requests[example.com/gpu]: "
                  "Unsupported value: \"example.com/gpu\": supported values: \"cpu\", "
                  "\"hugepages-\", \"memory\""
              ));
    CHECK(
        client.outcome(
            "POST",
            "/apis/node.k8s.io/v1/runtimeclasses",
            "{metadata: {name: r}, handler: h, overhead: {podFixed: {cpu: '-1'}}}"
        ) ==
        "422 Invalid: RuntimeClass.node.k8s.io \"r\" is invalid: "
        "overhead.podFixed.limits[cpu]: Invalid value: \"-1\": must be greater than or equal "
        "to 0"
    );
}

TEST_CASE("the amounts of a whole pod make its quality of service", "[apiserver][pods]") {
    ServerClient client;
    const auto quality = [&client](std::string_view name, std::string_view resources) {
        client.ask(
            "POST",
            kPods,
            fmt::format(
                "{{metadata: {{name: {}}}, spec: {{containers: [{{name: c, image: i}}], resources: "
                "{{{}}}}}}}",
                name,
                resources
            )
        );
        return client.at(fmt::format("{}/{}", kPods, name), {"status", "qosClass"});
    };
    CHECK(quality("a", "requests: {cpu: 1}") == "Burstable");
    CHECK(quality("b", "limits: {cpu: 1, memory: 1Gi}") == "Guaranteed");
}

TEST_CASE("quotas and LimitRanges count pod-level amounts", "[apiserver][admission]") {
    ServerClient client;
    REQUIRE(
        client.outcome(
            "POST", kQuotas, "{metadata: {name: q}, spec: {hard: {requests.cpu: '4'}}}"
        ) == "201"
    );
    const auto with_level = [](const std::string& cpu) {
        return "{metadata: {name: a}, spec: {resources: {requests: {cpu: '" + cpu +
               "'}}, containers: [{name: c, image: i, resources: {requests: {cpu: 1m}}}]}}";
    };
    CHECK(client.outcome("POST", kPods, with_level("5")).starts_with("403 Forbidden"));
    REQUIRE(
        client.outcome(
            "POST", kRanges, "{metadata: {name: r}, spec: {limits: [{type: Pod, min: {cpu: '2'}}]}}"
        ) == "201"
    );
    CHECK(
        client.outcome("POST", kPods, with_level("1")) ==
        "403 Forbidden: pods \"a\" is forbidden: minimum cpu usage per Pod is 2, but request is 1"
    );
    CHECK(client.outcome("POST", kPods, with_level("3")) == "201");
}

TEST_CASE("pods run with a RuntimeClass that there is", "[apiserver][admission]") {
    ServerClient client;
    const std::string wanted =
        "{metadata: {name: a}, spec: {runtimeClassName: r, containers: [{name: c, image: i}]}}";
    CHECK(
        client.outcome("POST", kPods, wanted) ==
        "403 Forbidden: pods \"a\" is forbidden: pod rejected: RuntimeClass \"r\" not found"
    );
    REQUIRE(
        client.outcome(
            "POST",
            "/apis/node.k8s.io/v1/runtimeclasses",
            "{metadata: {name: r}, handler: h, overhead: {podFixed: {cpu: 10m}}, scheduling: "
            "{nodeSelector: {a: b}}}"
        ) == "201"
    );
    CHECK(client.outcome("POST", kPods, wanted) == "201");
    CHECK(client.at(kPodPath + "/a", {"spec", "overhead"}) == R"({"cpu":"10m"})");
    CHECK(client.at(kPodPath + "/a", {"spec", "nodeSelector"}) == R"({"a":"b"})");
}

}  // namespace sluice::test
