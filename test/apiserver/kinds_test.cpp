#include "apiserver/server_client.hpp"
#include "apiserver/swagger_protobuf.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fmt/format.h>

#include <string>
#include <utility>

namespace sluice::test {

namespace {

const std::string kServices = "/api/v1/namespaces/default/services";
constexpr std::string_view kMerge = "application/merge-patch+json";
constexpr std::string_view kTable = "application/json;as=Table;v=v1;g=meta.k8s.io";

std::string service(std::string_view name, std::string_view spec = "ports: [{port: 80}]") {
    return "{metadata: {name: " + std::string(name) + "}, spec: {" + std::string(spec) + "}}";
}

}  // namespace

TEST_CASE("services get addresses and ports of nodes of their own", "[apiserver][kinds]") {
    ServerClient client;
    REQUIRE(client.outcome("POST", kServices, service("a")) == "201");
    REQUIRE(client.outcome("POST", kServices, service("b")) == "201");
    const std::string address = client.at(kServices + "/a", {"spec", "clusterIP"});
    CHECK(address.starts_with("10."));
    CHECK(address != client.at(kServices + "/b", {"spec", "clusterIP"}));
    CHECK(
        client.outcome(
            "POST", kServices, service("c", "clusterIP: " + address + ", ports: [{port: 1}]")
        ) == "422 Invalid: Service \"c\" is invalid: spec.clusterIPs: Invalid value: [\"" +
                 address + "\"]: failed to allocate IP " + address +
                 ": provided IP is already allocated"
    );
    SECTION("a change keeps them") {
        const std::string changed = service("a", "ports: [{port: 81}]");
        CHECK(client.outcome("PUT", kServices + "/a", changed) == "200");
        CHECK(client.at(kServices + "/a", {"spec", "clusterIP"}) == address);
    }
    SECTION("a type that has no use for them gives them back") {
        const std::string outside = service("a", "type: ExternalName, externalName: x.example.com");
        CHECK(client.outcome("PUT", kServices + "/a", outside) == "200");
        CHECK(client.at(kServices + "/a", {"spec", "clusterIP"}).empty());
        const std::string taken = "clusterIP: " + address + ", ports: [{port: 1}]";
        CHECK(client.outcome("POST", kServices, service("c", taken)) == "201");
    }
    SECTION("ports of nodes are in their range, and one service's alone") {
        const std::string ports = "type: NodePort, ports: [{port: 80, nodePort: 30001}]";
        CHECK(client.outcome("POST", kServices, service("c", ports)) == "201");
        CHECK(
            client.outcome("POST", kServices, service("d", ports)) ==
            "422 Invalid: Service \"d\" is invalid: spec.ports[0].nodePort: Invalid value: 30001: "
            "provided port is already allocated"
        );
        const std::string low = "type: NodePort, ports: [{port: 80, nodePort: 80}]";
        CHECK(
            client.outcome("POST", kServices, service("d", low)) ==
            "422 Invalid: Service \"d\" is invalid: spec.ports[0].nodePort: Invalid value: 80: "
            "provided port is not in the valid range. The range of valid ports is 30000-32767"
        );
        const std::string any = "type: NodePort, ports: [{port: 80}]";
        CHECK(client.outcome("POST", kServices, service("d", any)) == "201");
        CHECK(client.at(kServices + "/d", {"spec", "ports"}).find("nodePort") != std::string::npos);
    }
}

TEST_CASE("a service is refused where all ports of nodes are taken", "[apiserver][kinds]") {
    ServerClient client;
    // 2768 ports are in the range.
    const auto many = [](int count) {
        std::string ports;
        for (int i = 1; i <= count; ++i) {
            ports += fmt::format("{}{{port: {}, name: p{}}}", i == 1 ? "" : ", ", i, i);
        }
        return "type: NodePort, ports: [" + ports + "]";
    };
    REQUIRE(client.outcome("POST", kServices, service("a", many(2700))) == "201");
    CHECK(
        client.outcome("POST", kServices, service("b", many(69))) ==
        "500 InternalError: Internal error occurred: failed to allocate a nodePort: range is full"
    );
    CHECK(client.outcome("POST", kServices, service("b", many(68))) == "201");
    const std::string one = service("c", "type: NodePort, ports: [{port: 80}]");
    CHECK(client.outcome("POST", kServices, one).starts_with("500 InternalError: "));
    CHECK(client.outcome("DELETE", kServices + "/b") == "200");
    CHECK(client.outcome("POST", kServices, one) == "201");
}

TEST_CASE("an autoscaler is one object in two versions", "[apiserver][kinds]") {
    ServerClient client;
    const std::string path = "/namespaces/default/horizontalpodautoscalers";
    const std::string target = "scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: d}";
    REQUIRE(
        client.outcome(
            "POST",
            "/apis/autoscaling/v1" + path,
            "{metadata: {name: h}, spec: {" + target +
                ", maxReplicas: 3, targetCPUUtilizationPercentage: 70}}"
        ) == "201"
    );
    CHECK(
        client.at("/apis/autoscaling/v2" + path + "/h", {"spec", "metrics"}) ==
        R"([{"resource":{"name":"cpu","target":{"averageUtilization":70,"type":"Utilization"}},)"
        R"("type":"Resource"}])"
    );
    REQUIRE(
        client.outcome(
            "PATCH",
            "/apis/autoscaling/v2" + path + "/h",
            "{spec: {metrics: [{type: Pods, pods: {metric: {name: m}, target: {type: "
            "AverageValue, averageValue: '1'}}}]}}",
            kMerge
        ) == "200"
    );
    const std::string old = "/apis/autoscaling/v1" + path + "/h";
    CHECK(client.at(old, {"spec", "targetCPUUtilizationPercentage"}).empty());
    CHECK(
        client.at(old, {"metadata", "annotations", "autoscaling.alpha.kubernetes.io/metrics"})
            .find("AverageValue") != std::string::npos
    );
}

TEST_CASE(
    "an autoscaler's parts in annotations are members of the newer version", "[apiserver][kinds]"
) {
    ServerClient client;
    const std::string path = "/namespaces/default/horizontalpodautoscalers";
    REQUIRE(
        client.outcome(
            "POST",
            "/apis/autoscaling/v1" + path,
            "{metadata: {name: h, annotations: {autoscaling.alpha.kubernetes.io/conditions: "
            "'[{\"type\": \"AbleToScale\", \"status\": \"True\"}]', "
            "autoscaling.alpha.kubernetes.io/metrics: '[{\"type\": \"Pods\", \"pods\": "
            "{\"metric\": {\"name\": \"m\"}, \"target\": {\"type\": \"AverageValue\", "
            "\"averageValue\": \"1\"}}}]'}}, spec: {scaleTargetRef: {apiVersion: apps/v1, kind: "
            "Deployment, name: d}, maxReplicas: 3}}"
        ) == "201"
    );
    const std::string made = "/apis/autoscaling/v2" + path + "/h";
    CHECK(client.at(made, {"spec", "metrics"}).find("AverageValue") != std::string::npos);
    CHECK(client.at(made, {"metadata", "annotations"}).empty());
}

TEST_CASE("a text that may be empty is kept where it is", "[apiserver][kinds]") {
    ServerClient client;
    REQUIRE(
        client.outcome(
            "POST",
            kJobs,
            "{metadata: {name: j}, spec: {template: {spec: {restartPolicy: Never, containers: "
            "[{name: c, image: i}]}}}}"
        ) == "201"
    );
    const std::string job = std::string(kJobs) + "/j";
    const auto status = client.send(
        "PATCH",
        job + "/status",
        "{status: {failedIndexes: '', completedIndexes: ''}}",
        "application/merge-patch+json"
    );
    REQUIRE(status.status == 200);
    CHECK(status.body.find(R"("failedIndexes":"")") != std::string::npos);
    CHECK(status.body.find("completedIndexes") == std::string::npos);
}

TEST_CASE("a request for a certificate is approved in a part of its own", "[apiserver][kinds]") {
    ServerClient client;
    const std::string path = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
    REQUIRE(
        client.outcome(
            "POST",
            path,
            "{metadata: {name: c}, spec: {request: YQ==, signerName: example.com/s, usages: "
            "[client auth]}}"
        ) == "201"
    );
    CHECK(
        client.outcome(
            "PATCH",
            path + "/c/approval",
            "{spec: {signerName: other}, status: {certificate: YQ==, conditions: [{type: Approved, "
            "status: 'True'}]}}",
            kMerge
        ) == "200"
    );
    CHECK(client.at(path + "/c", {"spec", "signerName"}) == "example.com/s");
    CHECK(client.at(path + "/c", {"status", "certificate"}).empty());
    CHECK(client.at(path + "/c", {"status", "conditions"}).find("Approved") != std::string::npos);
}

TEST_CASE("objects of a changed definition have its new defaults when read", "[apiserver][kinds]") {
    ServerClient client;
    const std::string definition(kDefinitions);
    const auto define = [](const std::string& fields) {
        return "{metadata: {name: toys.example.com}, spec: {group: example.com, scope: Namespaced, "
               "names: {plural: toys, kind: Toy}, versions: [{name: v1, served: true, storage: "
               "true, schema: {openAPIV3Schema: {type: object, properties: {" +
               fields + "}}}}]}}";
    };
    REQUIRE(client.outcome("POST", definition, define("a: {type: string}")) == "201");
    const std::string toys = "/apis/example.com/v1/namespaces/default/toys";
    REQUIRE(
        client.outcome(
            "POST", toys, "{apiVersion: example.com/v1, kind: Toy, metadata: {name: t}}"
        ) == "201"
    );
    CHECK(client.at(toys + "/t", {"b"}).empty());
    REQUIRE(
        client.outcome(
            "PATCH",
            definition + "/toys.example.com",
            "{spec: {versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: "
            "{type: object, properties: {b: {type: string, default: x}}}}}]}}",
            kMerge
        ) == "200"
    );
    CHECK(client.at(toys + "/t", {"b"}) == "x");
}

TEST_CASE("a range of ports of a NetworkPolicy has two numbers in order", "[apiserver][kinds]") {
    ServerClient client;
    const auto outcome = [&client](const std::string& ports) {
        return client.outcome(
            "POST",
            "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies",
            "{metadata: {name: q}, spec: {podSelector: {}, egress: [{ports: [" + ports + "]}]}}"
        );
    };
    const std::string refusal =
        "422 Invalid: NetworkPolicy.networking.k8s.io \"q\" is invalid: "
        "spec.egress[0].ports[0].endPort: Invalid value: ";
    CHECK(
        outcome("{endPort: 5}") == refusal + "5: may not be specified when `port` is not specified"
    );
    CHECK(
        outcome("{port: a, endPort: 5}") ==
        refusal + "5: may not be specified when `port` is non-numeric"
    );
    CHECK(
        outcome("{port: 7, endPort: 5}") == refusal + "7: must be greater than or equal to `port`"
    );
    CHECK(outcome("{port: 5, endPort: 5}") == "201");
}

TEST_CASE("OpenAPI v2 has all kinds in one document", "[apiserver][kinds]") {
    ServerClient client;
    const json::Value document = client.ask("GET", "/openapi/v2");
    const json::Value* pod = document.find_path({"definitions", "io.k8s.api.core.v1.Pod"});
    REQUIRE(pod != nullptr);
    CHECK(json::print(*pod).find("#/components/") == std::string::npos);
    CHECK(json::print(*pod).find("#/definitions/io.k8s.api.core.v1.PodSpec") != std::string::npos);
}

TEST_CASE("OpenAPI v2 is there in protobuf, as kubectl asks for it", "[apiserver][kinds]") {
    const json::Value document = json::Object{
        {"swagger", "2.0"},
        {"info", json::Object{{"title", "T"}, {"version", "v"}}},
        {"definitions",
         json::Object{{"a", json::Object{{"type", "object"}, {"maxItems", 300}, {"x-b", true}}}}}
    };
    using namespace std::string_literals;
    CHECK(
        apiserver::encode_swagger(document) ==
        "\x0a\x03"s
        "2.0"
        "\x12\x06\x0a\x01T\x12\x01v"
        "\x42\x00"s
        "\x4a\x26\x0a\x24\x0a\x01"
        "a"
        "\x12\x1f\xb2\x01\x08\x0a\x06object\x70\xac\x02\xfa\x01\x0e\x0a\x03x-b"
        "\x12\x07\x12\x05true\n"
    );
    ServerClient client;
    apiserver::Request request = apiserver::make_request("GET", "/openapi/v2");
    request.accept = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
    const auto response = client.server.handle(std::move(request), client.now);
    CHECK(response.status == 200);
    CHECK(
        response.body.starts_with("\x0a\x03"
                                  "2.0")
    );
}

TEST_CASE("a namespace that ends loses its pods first", "[apiserver][kinds]") {
    ServerClient client;
    REQUIRE(client.outcome("POST", "/api/v1/namespaces", "{metadata: {name: space}}") == "201");
    const std::string root = "/api/v1/namespaces/space";
    REQUIRE(client.outcome("POST", root + "/configmaps", "{metadata: {name: m}}") == "201");
    REQUIRE(
        client.outcome(
            "POST",
            root + "/pods",
            "{metadata: {name: p, finalizers: [a.example.com/f]}, spec: {containers: [{name: c, "
            "image: i}]}}"
        ) == "201"
    );
    CHECK(client.outcome("DELETE", root) == "200");
    CHECK(client.outcome("GET", root + "/configmaps/m") == "200");
    CHECK(
        client.at(root, {"status", "conditions"}).find("a.example.com/f in 1 resource instances") !=
        std::string::npos
    );
    const std::string free = "{metadata: {finalizers: null}}";
    CHECK(client.outcome("PATCH", root + "/pods/p", free, kMerge) == "200");
    CHECK(client.outcome("GET", root).starts_with("404"));
}

TEST_CASE("tables of the kinds show what kubectl shows", "[apiserver][kinds]") {
    ServerClient client;
    REQUIRE(
        client.outcome(
            "POST",
            "/api/v1/persistentvolumes",
            "{metadata: {name: v}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], "
            "hostPath: {path: /x}, claimRef: {namespace: a, name: b}}}"
        ) == "201"
    );
    apiserver::Request request = apiserver::make_request("GET", "/api/v1/persistentvolumes");
    request.accept = kTable;
    const auto table = json::parse(client.server.handle(std::move(request), client.now).body);
    REQUIRE(table);
    CHECK(
        json::print(*table->find("rows")->as_array()[0].find("cells")) ==
        R"(["v","1Gi","RWO","Retain","Pending","a/b","","<unset>","","0s","Filesystem"])"
    );
}

}  // namespace sluice::test
