#include "apiserver/types/protobuf_answer.hpp"

#include "apiserver/protobuf/protobuf.hpp"
#include "apiserver/server_client.hpp"
#include "apiserver/types/negotiation.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <string_view>

namespace sluice::test {

using apiserver::decode_protobuf;
using apiserver::encode_protobuf;
using apiserver::encode_watch_lines;

namespace {

/// The object as a client reads it that was sent it in protobuf.
json::Value sent(const json::Value& object) {
    const auto body = encode_protobuf(object);
    REQUIRE(body.has_value());
    const auto read = decode_protobuf(*body);
    REQUIRE(read.has_value());
    return *read;
}

}  // namespace

TEST_CASE("objects arrive in protobuf as they are", "[apiserver][protobuf]") {
    ServerClient client;
    SECTION("a pod") {
        const json::Value pod = client.ask(
            "POST",
            kPods,
            "{metadata: {name: p, labels: {a: b}}, spec: {containers: [{name: c, image: i, "
            "resources: {requests: {cpu: 300m}}, livenessProbe: {httpGet: {port: web, path: /}}}], "
            "volumes: [{name: v, emptyDir: {}}]}}"
        );
        const json::Value read = sent(pod);
        CHECK(read.find("spec")->find("containers") != nullptr);
        CHECK(json::print_sorted(*read.find("spec")) == json::print_sorted(*pod.find("spec")));
        // Times and owned fields are messages of their own.
        CHECK(
            json::print_sorted(*read.find("metadata")) == json::print_sorted(*pod.find("metadata"))
        );
    }
    SECTION("a definition") {
        REQUIRE(client.outcome("POST", kDefinitions, kWidgetDefinition) == "201");
        const json::Value definition =
            client.ask("GET", std::string(kDefinitions) + "/widgets.example.com");
        CHECK(
            json::print_sorted(*sent(definition).find("spec")) ==
            json::print_sorted(*definition.find("spec"))
        );
    }
    SECTION("a refusal") {
        json::Value refusal = client.ask("GET", std::string(kConfigMaps) + "/none");
        refusal.erase("metadata");  // which says nothing
        CHECK(json::print_sorted(sent(refusal)) == json::print_sorted(refusal));
    }
}

TEST_CASE("what protobuf has no message for is not sent in it", "[apiserver][protobuf]") {
    const auto custom = json::parse(R"({"apiVersion": "example.com/v1", "kind": "Widget"})");
    CHECK(!encode_protobuf(*custom).has_value());
    const auto wrong = json::parse(R"({"apiVersion": "v1", "kind": "ConfigMap", "data": [1]})");
    CHECK(!encode_protobuf(*wrong).has_value());
}

TEST_CASE("events of watches come in frames with their length", "[apiserver][protobuf]") {
    const std::string line =
        R"({"type":"ADDED","object":{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"b"}}})"
        "\n";
    const auto one = encode_watch_lines(line);
    const auto two = encode_watch_lines(line + line);
    REQUIRE(one.has_value());
    REQUIRE(two.has_value());
    CHECK(*two == *one + *one);
    std::size_t size = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        size = size * 256 + static_cast<unsigned char>((*one)[i]);
    }
    CHECK(size + 4 == one->size());
    // Within it stands the object, as its body would.
    const auto object = decode_protobuf(std::string_view(*one).substr(one->find("k8s")));
    REQUIRE(object.has_value());
    CHECK(object->find_path({"data", "a"})->as_string() == "b");
}

TEST_CASE(
    "metadata alone comes in protobuf to those who ask for it first", "[apiserver][protobuf]"
) {
    using apiserver::prefers_metadata_in_protobuf;
    const std::string in_protobuf =
        "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
    const std::string in_json = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
    CHECK(prefers_metadata_in_protobuf(in_protobuf));
    CHECK(prefers_metadata_in_protobuf(in_protobuf + "," + in_json + ",application/json"));
    CHECK(!prefers_metadata_in_protobuf(in_json + "," + in_protobuf));
    CHECK(!prefers_metadata_in_protobuf("application/vnd.kubernetes.protobuf"));
    CHECK(!prefers_metadata_in_protobuf(""));
    const auto list = json::parse(
        R"({"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadataList",
            "metadata": {"resourceVersion": "7"},
            "items": [{"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata",
                       "metadata": {"name": "a", "labels": {"b": "c"}}}]})"
    );
    const auto body = encode_protobuf(*list);
    REQUIRE(body.has_value());
    CHECK(body->find("PartialObjectMetadataList") != std::string::npos);
    const auto one = sent(list->find("items")->as_array().front());
    CHECK(one.find_path({"metadata", "labels", "b"})->as_string() == "c");
}

TEST_CASE("protobuf is for those who take nothing else", "[apiserver][protobuf]") {
    using apiserver::takes_only_protobuf;
    CHECK(takes_only_protobuf("application/vnd.kubernetes.protobuf"));
    CHECK(takes_only_protobuf("application/vnd.kubernetes.protobuf;stream=watch"));
    CHECK(!takes_only_protobuf("application/vnd.kubernetes.protobuf, application/json"));
    CHECK(!takes_only_protobuf("application/vnd.kubernetes.protobuf, */*"));
    CHECK(!takes_only_protobuf("application/json"));
    CHECK(!takes_only_protobuf("text/html"));
    CHECK(!takes_only_protobuf(""));
}

}  // namespace sluice::test
