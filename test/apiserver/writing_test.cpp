#include "apiserver/server_client.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace sluice::test {

const std::string kA = std::string(kConfigMaps) + "/a";

TEST_CASE("a new object gets what the server alone gives", "[apiserver]") {
    ServerClient client;
    const json::Value made = client.ask("POST", kConfigMaps, "{metadata: {name: a}, data: {k: v}}");
    CHECK(made.string_at("apiVersion") == "v1");
    CHECK(made.string_at("kind") == "ConfigMap");
    const json::Value& metadata = *made.find("metadata");
    CHECK(metadata.string_at("namespace") == "default");
    CHECK(metadata.string_at("uid").size() == 36);
    CHECK(metadata.string_at("creationTimestamp") == "2026-01-01T00:00:00Z");
    CHECK_FALSE(metadata.string_at("resourceVersion").empty());
    CHECK(client.ask("GET", kA) == made);
}

TEST_CASE("what cannot be created is refused as the API server words it", "[apiserver]") {
    ServerClient client;
    client.ask("POST", kConfigMaps, "{metadata: {name: a}}");
    CHECK(
        client.outcome("POST", kConfigMaps, "{metadata: {name: a}}") ==
        "409 AlreadyExists: configmaps \"a\" already exists"
    );
    CHECK(
        client.outcome("POST", "/api/v1/namespaces/none/configmaps", "{metadata: {name: a}}") ==
        "404 NotFound: namespaces \"none\" not found"
    );
    CHECK(
        client.outcome("POST", kConfigMaps, "{metadata: {name: a, namespace: other}}") ==
        "400 BadRequest: the namespace of the provided object does not match the namespace sent on "
        "the request"
    );
    CHECK(client.outcome("POST", kConfigMaps, "{metadata: {name: A_}}")
              .starts_with("422 Invalid: ConfigMap \"A_\" is invalid: metadata.name: Invalid value")
    );
    CHECK(client.outcome("POST", kConfigMaps, "{kind: Secret, metadata: {name: b}}")
              .starts_with("400 BadRequest: "));
    CHECK(client.outcome("POST", kConfigMaps, "[1]").starts_with("400 BadRequest: "));
    CHECK(client.outcome("POST", kConfigMaps, "{metadata: {}}").starts_with("422 Invalid: "));
    CHECK(client.outcome("POST", kConfigMaps, "x", "application/cbor")
              .starts_with("415 UnsupportedMediaType: "));
    CHECK(
        client.outcome("POST", kConfigMaps, "x", "application/vnd.kubernetes.protobuf") ==
        "400 BadRequest: the body is not a protobuf message"
    );
    CHECK(client.outcome("PUT", kConfigMaps, "{}").starts_with("405 MethodNotAllowed: "));
    CHECK(client.send("GET", "/apis/none/v1/things").status == 404);
}

TEST_CASE("generateName makes names", "[apiserver]") {
    ServerClient client;
    const auto name = [&client] {
        const auto made = client.ask("POST", kConfigMaps, "{metadata: {generateName: x-}}");
        return std::string(made.find("metadata")->string_at("name"));
    };
    const std::string first = name();
    CHECK(first.starts_with("x-"));
    CHECK(first.size() == 7);
    CHECK(first != name());
}

TEST_CASE("an update that was made from an old version is refused", "[apiserver]") {
    ServerClient client;
    json::Value object = client.ask("POST", kConfigMaps, "{metadata: {name: a}}");
    object.set("data", json::Object{{"k", "1"}});
    const std::string first = json::print(object);
    CHECK(client.outcome("PUT", kA, first) == "200");
    CHECK(
        client.outcome("PUT", kA, first) ==
        "409 Conflict: Operation cannot be fulfilled on configmaps \"a\": the object has been "
        "modified; please apply your changes to the latest version and try again"
    );
    object.find("metadata")->erase("resourceVersion");
    object.find("data")->set("k", "2");
    CHECK(client.outcome("PUT", kA, json::print(object)) == "200");
    CHECK(client.at(kA, {"data", "k"}) == "2");
    object.find("metadata")->set("uid", "other");
    CHECK(client.outcome("PUT", kA, json::print(object)).starts_with("409 Conflict: "));
}

TEST_CASE("a write that changes nothing makes no version", "[apiserver]") {
    ServerClient client;
    client.ask("POST", kConfigMaps, "{metadata: {name: a}, data: {k: v}}");
    const std::string version = client.at(kA, {"metadata", "resourceVersion"});
    client.now += std::chrono::seconds(5);
    CHECK(client.outcome("PATCH", kA, "{data: {k: v}}", "application/merge-patch+json") == "200");
    CHECK(client.at(kA, {"metadata", "resourceVersion"}) == version);
}

TEST_CASE("a dry run stores nothing", "[apiserver]") {
    ServerClient client;
    CHECK(
        client.outcome("POST", std::string(kConfigMaps) + "?dryRun=All", "{metadata: {name: a}}") ==
        "201"
    );
    CHECK(client.outcome("GET", kA) == "404 NotFound: configmaps \"a\" not found");
}

TEST_CASE("status is a part of its own, and generation counts the rest", "[apiserver]") {
    ServerClient client;
    client.ask("POST", kDefinitions, kWidgetDefinition);
    const std::string w = std::string(kWidgets) + "/w";
    client.ask("POST", kWidgets, "{metadata: {name: w}, spec: {size: 1}, status: {size: 5}}");
    CHECK(client.at(w, {"status"}).empty());
    CHECK(client.at(w, {"metadata", "generation"}) == "1");
    constexpr std::string_view kMerge = "application/merge-patch+json";
    client.ask("PATCH", w + "/status", "{status: {size: 1}, spec: {size: 7}}", kMerge);
    CHECK(client.at(w, {"status", "size"}) == "1");
    CHECK(client.at(w, {"spec", "size"}) == "1");
    CHECK(client.at(w, {"metadata", "generation"}) == "1");
    client.ask("PATCH", w, "{status: {size: 9}, spec: {size: 7}}", kMerge);
    CHECK(client.at(w, {"status", "size"}) == "1");
    CHECK(client.at(w, {"metadata", "generation"}) == "2");
    CHECK(client.at(w + "/scale", {"spec", "replicas"}) == "7");
    client.ask("PATCH", w + "/scale", "{spec: {replicas: 3}}", kMerge);
    CHECK(client.at(w, {"spec", "size"}) == "3");
    const json::Value tried =
        client.ask("PATCH", w + "/scale?dryRun=All", "{spec: {replicas: 5}}", kMerge);
    CHECK(tried.string_at("kind") == "Scale");
    CHECK(tried.find("spec")->find("replicas")->as_int() == 5);
    CHECK(client.at(w, {"spec", "size"}) == "3");
}

TEST_CASE("a Job gets its defaults, its labels and its selector", "[apiserver]") {
    ServerClient client;
    const json::Value job = client.ask(
        "POST",
        kJobs,
        "{metadata: {name: j}, spec: {template: {spec: {restartPolicy: Never,"
        " containers: [{name: c, image: 'i:1'}]}}}}"
    );
    const json::Value& spec = *job.find("spec");
    CHECK(spec.find("completions")->as_int() == 1);
    CHECK(spec.find("backoffLimit")->as_int() == 6);
    CHECK(spec.string_at("completionMode") == "NonIndexed");
    const auto uid = job.find("metadata")->string_at("uid");
    CHECK(
        spec.find_path({"selector", "matchLabels", "batch.kubernetes.io/controller-uid"})
            ->as_string() == uid
    );
    CHECK(spec.find_path({"template", "metadata", "labels", "job-name"})->as_string() == "j");
    const json::Value& container =
        spec.find_path({"template", "spec", "containers"})->as_array().front();
    CHECK(container.string_at("imagePullPolicy") == "IfNotPresent");
    CHECK(
        client.outcome(
            "PATCH",
            std::string(kJobs) + "/j",
            "{spec: {completions: 3}}",
            "application/merge-patch+json"
        ) ==
        "422 Invalid: Job.batch \"j\" is invalid: spec.completions: Invalid value: 3: field is "
        "immutable"
    );
}

TEST_CASE("a pod takes the priority of its class", "[apiserver]") {
    ServerClient client;
    client.ask(
        "POST", "/apis/scheduling.k8s.io/v1/priorityclasses", "{metadata: {name: high}, value: 7}"
    );
    const auto pod = client.ask(
        "POST",
        kPods,
        "{metadata: {name: p}, spec: {priorityClassName: high, containers: [{name: c, image: i}]}}"
    );
    CHECK(pod.find_path({"spec", "priority"})->as_int() == 7);
    CHECK(pod.find_path({"status", "phase"})->as_string() == "Pending");
    CHECK(
        client.outcome(
            "POST",
            kPods,
            "{metadata: {name: q}, spec: {priorityClassName: none, containers: [{name: c, image: "
            "i}]}}"
        ) == "403 Forbidden: pods \"q\" is forbidden: no PriorityClass with name none was found"
    );
}

TEST_CASE("kubectl's protobuf is read as the object that it is", "[apiserver]") {
    ServerClient client;
    apiserver::Request request = apiserver::make_request("POST", kConfigMaps);
    request.content_type = "application/vnd.kubernetes.protobuf";
    // v1 ConfigMap: metadata.name a, data k: v; as client-go writes it, with what is empty.
    const std::string named = std::string("\x0a\x03\x0a\x01") + "a";
    const std::string data = std::string("\x12\x06\x0a\x01k\x12\x01v", 8);
    const std::string type = std::string("\x0a\x0f\x0a\x02v1\x12\x09") + "ConfigMap";
    const std::string raw = named + data;
    request.body = std::string("k8s\0", 4) + type + "\x12" +
                   std::string(1, static_cast<char>(raw.size())) + raw;
    const auto response = client.server.handle(request, client.now);
    CHECK(response.status == 201);
    CHECK(client.at(kA, {"data"}) == R"({"k":"v"})");
    request.body.resize(request.body.size() - 3);
    CHECK(client.server.handle(request, client.now).status == 400);
}

TEST_CASE("an empty time in protobuf is none", "[apiserver]") {
    ServerClient client;
    const std::string events = "/api/v1/namespaces/default/events";
    apiserver::Request request = apiserver::make_request("POST", events);
    request.content_type = "application/vnd.kubernetes.protobuf";
    // v1 Event: metadata.name e, an empty firstTimestamp.
    const std::string raw = std::string("\x0a\x03\x0a\x01") + "e" + std::string("\x32\0", 2);
    const std::string type = std::string("\x0a\x0b\x0a\x02v1\x12\x05") + "Event";
    request.body = std::string("k8s\0", 4) + type + "\x12" +
                   std::string(1, static_cast<char>(raw.size())) + raw;
    const auto response = client.server.handle(request, client.now);
    INFO(response.body);
    REQUIRE(response.status == 201);
    CHECK(client.at(events + "/e", {"firstTimestamp"}).find("1970") == std::string::npos);
}

TEST_CASE("a Job without labels has those of its pods", "[apiserver]") {
    ServerClient client;
    const std::string spec =
        "template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}";
    const auto create = [&client](const std::string& labels, const std::string& body) {
        return client.ask(
            "POST", kJobs, "{metadata: {generateName: j" + labels + "}, spec: {" + body + "}}"
        );
    };
    const json::Value plain = create("", spec);
    const json::Value* labels = plain.find_path({"metadata", "labels"});
    REQUIRE(labels != nullptr);
    CHECK(*labels == *plain.find_path({"spec", "template", "metadata", "labels"}));
    CHECK(labels->as_object().size() == 4);
    const json::Value own = create(", labels: {a: b}", spec);
    CHECK(*own.find_path({"metadata", "labels"}) == json::Value(json::Object{{"a", "b"}}));
    const json::Value of_pods = create(
        "",
        "template: {metadata: {labels: {app: x}}, spec: {restartPolicy: Never, containers: [{name: "
        "c, image: i}]}}"
    );
    CHECK(of_pods.find_path({"metadata", "labels"})->as_object().size() == 5);
    const json::Value manual = create(
        "",
        "manualSelector: true, selector: {matchLabels: {app: x}}, template: {metadata: {labels: "
        "{app: x}}, spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}"
    );
    CHECK(*manual.find_path({"metadata", "labels"}) == json::Value(json::Object{{"app", "x"}}));
}

TEST_CASE("variables that are fields of a pod have the version of the fields", "[apiserver]") {
    ServerClient client;
    const json::Value pod = client.ask(
        "POST",
        kPods,
        "{metadata: {name: p}, spec: {containers: [{name: c, image: i, env: [{name: A, value: b}, "
        "{name: NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]}]}}"
    );
    const json::Value& variables =
        *pod.find_path({"spec", "containers"})->as_array()[0].find("env");
    CHECK(variables.as_array()[0].find("valueFrom") == nullptr);
    const json::Value* version =
        variables.as_array()[1].find_path({"valueFrom", "fieldRef", "apiVersion"});
    REQUIRE(version != nullptr);
    CHECK(*version == json::Value("v1"));
}

TEST_CASE("a new Node keeps the status that its kubelet gives it", "[apiserver]") {
    ServerClient client;
    const std::string status = "status: {allocatable: {cpu: '4'}, phase: Running}}";
    CHECK(client.outcome("POST", "/api/v1/nodes", "{metadata: {name: m}, " + status) == "201");
    CHECK(client.at("/api/v1/nodes/m", {"status", "allocatable", "cpu"}) == "4");
    client.ask(
        "POST", kPods, "{metadata: {name: p}, spec: {containers: [{name: c, image: i}]}, " + status
    );
    CHECK(client.at(std::string(kPods) + "/p", {"status", "phase"}) == "Pending");
}

TEST_CASE("a generated name is one that is free", "[apiserver]") {
    const std::string maps(kConfigMaps);
    const std::string object = "{metadata: {generateName: a-}}";
    // Servers of one seed draw the same names.
    ServerClient other;
    std::vector<std::string> drawn;
    for (int i = 0; i < 8; ++i) {
        drawn.push_back("a-" + other.server.state().new_suffix());
    }
    ServerClient client;
    const auto take = [&](std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            json::Value taken = json::Object{
                {"apiVersion", "v1"},
                {"kind", "ConfigMap"},
                {"metadata", json::Object{{"name", drawn[i]}, {"namespace", "default"}}}
            };
            client.server.state().store.put(
                {"", "configmaps"}, {"default", drawn[i]}, std::move(taken)
            );
        }
    };
    SECTION("where seven are taken") {
        take(7);
        CHECK(client.outcome("POST", maps, object) == "201");
        CHECK(client.outcome("GET", maps + "/" + drawn[7]) == "200");
    }
    SECTION("and eight are tried") {
        take(8);
        CHECK(
            client.outcome("POST", maps, object) ==
            "409 AlreadyExists: configmaps \"" + drawn[7] +
                "\" already exists, the server was not able to generate a unique name for the "
                "object"
        );
    }
}

}  // namespace sluice::test
