#include "apiserver/server_client.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

namespace sluice::test {

namespace {

const std::string kA = std::string(kConfigMaps) + "/a";

/// The fields of a manager, as managedFields has them.
std::string fields_of(ServerClient& client, const std::string& target, std::string_view manager) {
    const json::Value object = client.ask("GET", target);
    const json::Value* entries = object.find_path({"metadata", "managedFields"});
    if (entries != nullptr) {
        for (const json::Value& entry : entries->as_array()) {
            if (entry.string_at("manager") == manager) {
                return json::print_sorted(*entry.find("fieldsV1"));
            }
        }
    }
    return "";
}

}  // namespace

TEST_CASE(
    "who applies a field owns it, and takes it away by leaving it out", "[apiserver][apply]"
) {
    ServerClient client;
    CHECK(client.apply(kA, "one", "{data: {k: v, l: w}, metadata: {name: a}}") == "201");
    CHECK(fields_of(client, kA, "one") == R"({"f:data":{"f:k":{},"f:l":{}}})");
    CHECK(client.apply(kA, "one", "{data: {k: v}, metadata: {name: a}}") == "200");
    CHECK(client.at(kA, {"data"}) == R"({"k":"v"})");
    CHECK(fields_of(client, kA, "one") == R"({"f:data":{"f:k":{}}})");
}

TEST_CASE("what loses its last field to an apply goes with it", "[apiserver][apply]") {
    ServerClient client;
    CHECK(client.apply(kA, "one", "{data: {k: v}, metadata: {name: a, labels: {l: m}}}") == "201");
    CHECK(client.apply(kA, "one", "{metadata: {name: a}}") == "200");
    CHECK(client.at(kA, {"data"}).empty());
    CHECK(client.at(kA, {"metadata", "labels"}).empty());
}

TEST_CASE("what another owns is changed by force alone", "[apiserver][apply]") {
    ServerClient client;
    client.apply(kA, "one", "{data: {k: v}}");
    CHECK(
        client.apply(kA, "two", "{data: {k: w}}") ==
        "409 Conflict: Apply failed with 1 conflict: conflict with \"one\": .data.k"
    );
    CHECK(client.apply(kA, "two", "{data: {k: v}}") == "200");  // the same value is shared
    CHECK(client.apply(kA, "two", "{data: {k: w}}", true) == "200");
    CHECK(fields_of(client, kA, "one").empty());
    CHECK(client.at(kA, {"data", "k"}) == "w");
}

TEST_CASE("an update takes what it changes", "[apiserver][apply]") {
    ServerClient client;
    client.apply(kA, "one", "{data: {k: v, l: w}}");
    client.ask(
        "PATCH", kA + "?fieldManager=hand", "{data: {k: x}}", "application/merge-patch+json"
    );
    CHECK(fields_of(client, kA, "one") == R"({"f:data":{"f:l":{}}})");
    CHECK(fields_of(client, kA, "hand") == R"({"f:data":{"f:k":{}}})");
}

TEST_CASE("elements of keyed lists have owners of their own", "[apiserver][apply]") {
    ServerClient client;
    client.ask("POST", kDefinitions, kWidgetDefinition);
    const std::string w = std::string(kWidgets) + "/w";
    client.apply(w, "one", "{spec: {size: 1, parts: [{name: a, count: 2}]}}");
    client.apply(w, "two", "{spec: {parts: [{name: b, count: 3}], tags: [t]}}");
    CHECK(
        fields_of(client, w, "two") ==
        R"-({"f:spec":{"f:parts":{"k:{\"name\":\"b\"}":{".":{},"f:count":{},"f:name":{}}},)-"
        R"-("f:tags":{"v:\"t\"":{}}}})-"
    );
    client.apply(w, "one", "{spec: {size: 1}}");
    CHECK(client.at(w, {"spec", "parts"}) == R"([{"count":3,"name":"b"}])");
    CHECK(client.apply(w + "/status", "three", "{status: {x: 1}, spec: {size: 9}}") == "200");
    CHECK(client.at(w, {"spec", "size"}) == "1");
    CHECK(fields_of(client, w, "three") == R"({"f:status":{"f:x":{}}})");
}

TEST_CASE("an apply that changes nothing makes no version", "[apiserver][apply]") {
    ServerClient client;
    client.apply(kA, "one", "{data: {k: v}}");
    const std::string version = client.at(kA, {"metadata", "resourceVersion"});
    client.now += std::chrono::seconds(9);
    CHECK(client.apply(kA, "one", "{data: {k: v}}") == "200");
    CHECK(client.at(kA, {"metadata", "resourceVersion"}) == version);
    CHECK(client.outcome("PATCH", kA, "{data: {}}", "application/apply-patch+yaml")
              .starts_with("422 Invalid: "));
}

TEST_CASE("a configuration of another kind, or that is no UTF-8, is not applied", "[apiserver]") {
    ServerClient client;
    REQUIRE(client.outcome("POST", kDefinitions, kWidgetDefinition) == "201");
    const std::string widget = "/apis/example.com/v1/namespaces/default/widgets/w";
    CHECK(
        client.apply(
            widget, "one", "{apiVersion: example.com/v1, kind: Gadget, spec: {size: 1}}"
        ) == "400 BadRequest: invalid object type: example.com/v1, Kind=Gadget"
    );
    CHECK(
        client.apply(kA, "one", "{apiVersion: v1, kind: Secret, data: {k: v}}") ==
        "400 BadRequest: invalid object type: /v1, Kind=Secret"
    );
    CHECK(client.outcome("GET", widget).starts_with("404 "));
    apiserver::Request request =
        apiserver::make_request("PATCH", std::string(kA) + "?fieldManager=one");
    request.content_type = "application/apply-patch+yaml";
    request.body = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: \xba}\n";
    CHECK(client.server.handle(std::move(request), client.now).status == 400);
    CHECK(client.outcome("GET", kA).starts_with("404 "));
}

}  // namespace sluice::test
