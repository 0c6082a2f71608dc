#include "apiserver/protobuf/swagger_protobuf.hpp"
#include "apiserver/server_client.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fmt/format.h>

#include <string>
#include <utility>

namespace sluice::test {

namespace {

constexpr std::string_view kMerge = "application/merge-patch+json";
constexpr std::string_view kTable = "application/json;as=Table;v=v1;g=meta.k8s.io";

}  // namespace

TEST_CASE("a Service has an address and keeps it", "[apiserver][kinds]") {
    ServerClient client;
    const std::string services = "/api/v1/namespaces/default/services";
    const std::string spec = "{metadata: {name: s}, spec: {ports: [{port: 80}]}}";
    REQUIRE(client.outcome("POST", services, spec) == "201");
    const std::string address = client.at(services + "/s", {"spec", "clusterIP"});
    CHECK(address.starts_with("10."));
    REQUIRE(client.outcome("PUT", services + "/s", spec) == "200");
    CHECK(client.at(services + "/s", {"spec", "clusterIP"}) == address);
    REQUIRE(
        client.outcome(
            "POST", services, "{metadata: {name: h}, spec: {clusterIP: None, ports: [{port: 80}]}}"
        ) == "201"
    );
    CHECK(client.at(services + "/h", {"spec", "clusterIP"}) == "None");
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
        R"(["v","1Gi","ReadWriteOnce","<none>","Pending","b","<none>","<none>","<none>","0s","<none>"])"
    );
}

}  // namespace sluice::test
