#include "apiserver/gadgets.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::test {

using apiserver::WebhookCall;
using json::Value;

TEST_CASE("a webhook converts what is read and written in another version", "[conversions]") {
    Gadgets client;
    REQUIRE(client.outcome("POST", kNew, "{metadata: {name: a}, spec: {width: 7}}") == "201");
    CHECK(client.stored("a").string_at("apiVersion") == "example.com/v1");
    CHECK(client.at(kOld + "/a", {"spec"}) == R"({"size":7})");
    CHECK(client.at(kNew + "/a", {"spec"}) == R"({"unit":"mm","width":7})");
    REQUIRE(client.outcome("POST", kOld, "{metadata: {name: b}, spec: {size: 3}}") == "201");

    SECTION("asked as the API server asks") {
        const WebhookCall& call = client.calls.front();
        CHECK(call.target.url == "https://127.0.0.1:9443/convert");
        CHECK(call.timeout_seconds == 30);
        CHECK(call.review.string_at("kind") == "ConversionReview");
        CHECK(call.review.string_at("apiVersion") == "apiextensions.k8s.io/v1");
        CHECK(call.review.find("request")->string_at("desiredAPIVersion") == "example.com/v1");
        CHECK(call.review.find_path({"request", "objects"})->as_array().size() == 1);
    }
    SECTION("in lists, all objects by one call") {
        client.calls.clear();
        REQUIRE(client.outcome("POST", kOld, "{metadata: {name: c}, spec: {size: 4}}") == "201");
        CHECK(client.calls.empty());
        const Value list = client.ask("GET", kNew);
        std::string widths;
        for (const Value& item : list.find("items")->as_array()) {
            CHECK(item.string_at("apiVersion") == "example.com/v2");
            widths += json::print(*item.find_path({"spec", "width"})) + " ";
        }
        CHECK(widths == "7 3 4 ");
        REQUIRE(client.calls.size() == 1);
        CHECK(client.calls[0].review.find_path({"request", "objects"})->as_array().size() == 3);
    }
    SECTION("in long lists, by as many calls as are needed") {
        for (int i = 0; i < 1200; ++i) {
            client.server.state().store.put(
                {"example.com", "gadgets"},
                {"default", "m" + std::to_string(i)},
                json::Object{
                    {"apiVersion", "example.com/v1"},
                    {"kind", "Gadget"},
                    {"metadata",
                     json::Object{
                         {"name", "m" + std::to_string(i)},
                         {"namespace", "default"},
                         {"uid", std::to_string(i)}
                     }},
                    {"spec", json::Object{{"size", i}}}
                }
            );
        }
        client.calls.clear();
        CHECK(client.ask("GET", kNew).find("items")->as_array().size() == 1202);
        CHECK(client.calls.size() == 3);
    }
    SECTION("anew for each request, by what it is by then") {
        CHECK(client.at(kNew + "/b", {"spec", "width"}) == "3");
        const auto watch = client.watch(kNew + "?watch=true&resourceVersion=0");
        REQUIRE(watch != nullptr);
        CHECK(client.events(*watch) == std::vector<std::string>{"ADDED a", "ADDED b"});
        client.calls.clear();
        client.spoil = [](Value& response) {
            first_object(response).find("spec")->set("width", 33);
        };
        CHECK(client.at(kNew + "/b", {"spec", "width"}) == "33");
        CHECK(client.calls.size() == 1);
        // Of the same content as before.
        const std::string label = "{metadata: {annotations: {a: b}}}";
        const std::string no_label = "{metadata: {annotations: {a: null}}}";
        REQUIRE(client.outcome("PATCH", kOld + "/b", label, kMerge) == "200");
        REQUIRE(client.outcome("PATCH", kOld + "/b", no_label, kMerge) == "200");
        client.calls.clear();
        CHECK(client.events(*watch).size() == 2);
        CHECK(client.calls.size() == 1);
        CHECK(client.calls[0].review.find_path({"request", "objects"})->as_array().size() == 2);
    }
    SECTION("in updates and patches") {
        Value object = client.ask("GET", kNew + "/a");
        object.find("spec")->set("width", 8);
        CHECK(client.outcome("PUT", kNew + "/a", json::print(object)) == "200");
        CHECK(client.at(kOld + "/a", {"spec", "size"}) == "8");
        CHECK(client.outcome("PATCH", kNew + "/a", "{spec: {width: 9}}", kMerge) == "200");
        CHECK(client.at(kOld + "/a", {"spec", "size"}) == "9");
        CHECK(client.outcome("PATCH", kOld + "/a", "{spec: {size: 10}}", kMerge) == "200");
        CHECK(client.at(kNew + "/a", {"spec", "width"}) == "10");
        CHECK(client.outcome("PUT", kNew + "/a", json::print(object)).starts_with("409 "));
    }
    SECTION("in applies, by owners of either version") {
        CHECK(client.apply(kNew + "/d", "one", "{spec: {width: 1}}") == "201");
        CHECK(client.apply(kOld + "/d", "two", "{spec: {size: 2}}").starts_with("409 Conflict: "));
        CHECK(client.apply(kOld + "/d", "two", "{spec: {size: 2}}", true) == "200");
        CHECK(client.at(kNew + "/d", {"spec", "width"}) == "2");
    }
    SECTION("in watches") {
        const auto watch = client.watch(kNew + "?watch=true&resourceVersion=0");
        REQUIRE(watch != nullptr);
        CHECK(client.events(*watch) == std::vector<std::string>{"ADDED a", "ADDED b"});
        REQUIRE(client.outcome("PATCH", kOld + "/b", "{spec: {size: 6}}", kMerge) == "200");
        const std::string none = watch->take();
        CHECK(none.empty());
        const auto call = watch->next_call();
        REQUIRE(call);
        watch->take_answer(client.webhook(*call));
        const std::string lines = watch->take();
        CHECK(lines.find(R"("width":6)") != std::string::npos);
        CHECK(lines.find("example.com/v2") != std::string::npos);
        REQUIRE(client.outcome("DELETE", kOld + "/b") == "200");
        CHECK(client.events(*watch) == std::vector<std::string>{"DELETED b"});
    }
    SECTION("in tables") {
        apiserver::Request request = apiserver::make_request("GET", kNew);
        request.accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
        auto begun = client.server.begin(std::move(request), client.now);
        auto& operation = *std::get<std::unique_ptr<apiserver::Operation>>(begun);
        while (const auto call = operation.advance(client.now)) {
            operation.take_answer(client.webhook(*call));
        }
        const auto table = json::parse(operation.response().body);
        CHECK(table->find("rows")->as_array().size() == 2);
    }
    SECTION("in deletions") {
        REQUIRE(
            client.outcome("PATCH", kOld + "/b", "{metadata: {finalizers: [a/b]}}", kMerge) == "200"
        );
        const Value gone = client.ask("DELETE", kNew + "/b");
        CHECK(gone.string_at("apiVersion") == "example.com/v2");
        CHECK(json::print(*gone.find_path({"spec", "width"})) == "3");
        CHECK(gone.find_path({"metadata", "deletionTimestamp"}) != nullptr);
        CHECK(client.outcome("DELETE", kNew) == "200");
        CHECK(client.outcome("GET", kOld + "/a").starts_with("404 "));
    }
    SECTION("of metadata only labels and annotations") {
        client.spoil = [](Value& response) {
            Value& metadata = *first_object(response).find("metadata");
            metadata.set("labels", json::Object{{"from", "webhook"}});
            metadata.set("generation", 99);
            metadata.erase("creationTimestamp");
        };
        const Value object = client.ask("GET", kNew + "/b");
        CHECK(json::print(*object.find_path({"metadata", "labels"})) == R"({"from":"webhook"})");
        CHECK(json::print(*object.find_path({"metadata", "generation"})) == "1");
        CHECK(object.find_path({"metadata", "creationTimestamp"}) != nullptr);
    }
    SECTION("fields that its version does not know go") {
        client.spoil = [](Value& response) {
            first_object(response).find("spec")->set("colour", "red");
        };
        CHECK(client.at(kNew + "/b", {"spec"}) == R"({"unit":"mm","width":3})");
    }
}

TEST_CASE("an answer that is no conversion is refused", "[conversions]") {
    Gadgets client;
    REQUIRE(client.outcome("POST", kOld, "{metadata: {name: a}, spec: {size: 1}}") == "201");
    const std::string about = "conversion webhook for example.com/v1, Kind=Gadget ";
    const auto [spoil, why] = GENERATE_REF(table<std::function<void(Value&)>, std::string>(
        {{[](Value& response) { response.set("uid", "other"); }, "failed: expected response.uid="},
         {[](Value& response) {
              response.set(
                  "result", json::Object{{"status", "Failure"}, {"message", "no such size"}}
              );
          },
          "failed: no such size"},
         {[](Value& response) { response.set("result", json::Object()); },
          "failed: response.result.status was '', not 'Success'"},
         {[](Value& response) { response.set("convertedObjects", json::Array()); },
          "returned 0 objects, expected 1"},
         {[](Value& response) { first_object(response).set("apiVersion", "example.com/v3"); },
          "returned invalid object at index 0: invalid groupVersion (expected example.com/v2, "
          "received example.com/v3)"},
         {[](Value& response) { first_object(response).set("kind", "Other"); },
          "returned invalid object at index 0: invalid kind (expected Gadget, received Other)"},
         {[](Value& response) { first_object(response).find("metadata")->set("name", "b"); },
          "returned invalid object: must have the same name: a != b"},
         {[](Value& response) { first_object(response).find("metadata")->set("uid", "b"); },
          "returned invalid object: must have the same UID: "},
         {[](Value& response) {
              first_object(response).find("metadata")->set("labels", json::Object{{"a", 1}});
          },
          "returned invalid metadata: metadata.labels[a] must be a string, but is int64 in "
          "converted object"},
         {[](Value& response) {
              first_object(response).find("metadata")->set("labels", json::Object{{"a", "?"}});
          },
          "returned invalid metadata: metadata.labels: Invalid value: \"?\": "}}
    ));
    CAPTURE(why);
    client.spoil = spoil;
    CHECK(client.outcome("GET", kNew + "/a").starts_with("500 : " + about + why));
    CHECK(client.outcome("GET", kNew).starts_with("500 : " + about + why));
    // Nothing goes, or is written, that cannot be shown.
    CHECK(client.outcome("DELETE", kNew + "/a").starts_with("500 : "));
    CHECK(client.outcome("DELETE", kNew).starts_with("500 : "));
    CHECK(client.outcome("PATCH", kNew + "/a", "{spec: {width: 2}}", kMerge).starts_with("500 : "));
    CHECK(client.outcome("POST", kNew, "{metadata: {name: c}}").starts_with("500 : "));
    CHECK(client.at(kOld + "/a", {"spec"}) == R"({"size":1})");
    CHECK(client.outcome("GET", kOld + "/c").starts_with("404 "));
    const auto watch = client.watch(kNew + "?watch=true&resourceVersion=0");
    REQUIRE(watch != nullptr);
    CHECK(client.events(*watch).size() == 1);
    CHECK(watch->is_over(client.now));
}

TEST_CASE("a webhook that does not answer is told, and asked again", "[conversions]") {
    Gadgets client;
    REQUIRE(client.outcome("POST", kOld, "{metadata: {name: a}, spec: {size: 1}}") == "201");
    const auto webhook = std::exchange(client.webhook, [](const WebhookCall&) -> Result<Value> {
        return Error{ErrorCode::Unavailable, "Post \"https://x\": connection refused", {}};
    });
    CHECK(
        client.outcome("GET", kNew + "/a") ==
        "500 : conversion webhook for example.com/v1, Kind=Gadget failed: Post \"https://x\": "
        "connection refused"
    );
    CHECK(client.outcome("GET", kOld + "/a") == "200");
    client.webhook = webhook;
    CHECK(client.at(kNew + "/a", {"spec", "width"}) == "1");
}

TEST_CASE("what is written faster than it is converted has an answer", "[conversions]") {
    Gadgets client;
    REQUIRE(client.outcome("POST", kOld, "{metadata: {name: a}, spec: {size: 1}}") == "201");
    const auto answer = client.webhook;
    int writes = 0;
    client.webhook = [&](const WebhookCall& call) -> Result<Value> {
        if (++writes > 100) {
            return make_invalid("it is asked without end");
        }
        const std::string size = "{spec: {size: " + std::to_string(100 + writes) + "}}";
        CHECK(client.outcome("PATCH", kOld + "/a", size, kMerge) == "200");
        return answer(call);
    };
    SECTION("to a read of the object, as it was at first") {
        CHECK(client.at(kNew + "/a", {"spec", "width"}) == "1");
        CHECK(writes == 1);
    }
    SECTION("to a list, as it was at first") {
        const std::string version = client.at(kOld + "/a", {"metadata", "resourceVersion"});
        const Value list = client.ask("GET", kNew);
        CHECK(*list.find("items")->as_array().at(0).find_path({"spec", "width"}) == Value(1));
        CHECK(list.find("metadata")->string_at("resourceVersion") == version);
        CHECK(writes == 1);
    }
    SECTION("to a patch, that of a conflict") {
        const std::string width = "{spec: {width: 7}}";
        CHECK(client.outcome("PATCH", kNew + "/a", width, kMerge).starts_with("409 Conflict"));
    }
    SECTION("to a deletion that says of which version it is, that of a conflict") {
        const std::string version = client.at(kOld + "/a", {"metadata", "resourceVersion"});
        CHECK(client
                  .outcome(
                      "DELETE", kNew + "/a", "{preconditions: {resourceVersion: '" + version + "'}}"
                  )
                  .starts_with("409 Conflict"));
        CHECK(writes == 1);
    }
    SECTION("to a deletion, once the object rests") {
        client.webhook = [&](const WebhookCall& call) -> Result<Value> {
            if (++writes <= 20) {
                const std::string size = "{spec: {size: " + std::to_string(100 + writes) + "}}";
                CHECK(client.outcome("PATCH", kOld + "/a", size, kMerge) == "200");
            }
            return answer(call);
        };
        CHECK(client.outcome("DELETE", kNew + "/a") == "200");
        CHECK(writes == 21);
        CHECK(client.outcome("GET", kOld + "/a").starts_with("404 "));
    }
    SECTION("to a deletion, after a minute that it could not be done") {
        client.webhook = [&, written = client.webhook](const WebhookCall& call) {
            client.now += std::chrono::seconds(1);
            return written(call);
        };
        CHECK(
            client.outcome("DELETE", kNew + "/a") ==
            "504 Timeout: Timeout: request did not complete within requested timeout - context "
            "deadline exceeded"
        );
        CHECK(client.outcome("GET", kOld + "/a") == "200");
    }
}

TEST_CASE("without a webhook nothing but the version changes", "[conversions]") {
    Gadgets client;
    REQUIRE(
        client.outcome(
            "PATCH",
            std::string(kDefinitions) + "/gadgets.example.com",
            "{spec: {conversion: {strategy: None, webhook: null}}}",
            kMerge
        ) == "200"
    );
    REQUIRE(client.outcome("POST", kOld, "{metadata: {name: a}, spec: {size: 1}}") == "201");
    CHECK(client.at(kNew + "/a", {"apiVersion"}) == "example.com/v2");
    CHECK(client.calls.empty());
}

TEST_CASE("Kueue's kinds are converted here where the controller would do it", "[conversions]") {
    const auto [has_controller, config, calls] = GENERATE(table<bool, std::string, std::size_t>(
        {{true, "url: 'https://127.0.0.1:9443/convert'", 0},
         {false, "url: 'https://127.0.0.1:9443/convert'", 1},
         {false, "service: {namespace: default, name: kueue-webhook-service}", 0},
         {true, "service: {namespace: default, name: elsewhere}", 0},
         {false, "service: {namespace: default, name: elsewhere}", 1}}
    ));
    CAPTURE(has_controller, config);
    ServerClient client({.has_controller = has_controller});
    REQUIRE(
        client.outcome(
            "POST",
            "/api/v1/namespaces/default/services",
            "{metadata: {name: elsewhere}, spec: {type: ExternalName, externalName: example.com}}"
        ) == "201"
    );
    const std::string version =
        "served: true, schema: {openAPIV3Schema: {type: object, "
        "x-kubernetes-preserve-unknown-fields: true}}}";
    REQUIRE(
        client.outcome(
            "POST",
            kDefinitions,
            "{metadata: {name: clusterqueues.kueue.x-k8s.io, annotations: "
            "{api-approved.kubernetes.io: "
            "'https://x'}}, spec: {group: kueue.x-k8s.io, scope: Cluster, names: {plural: "
            "clusterqueues, "
            "singular: clusterqueue, kind: ClusterQueue, listKind: ClusterQueueList}, conversion: "
            "{strategy: "
            "Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {" +
                config + "}}}, versions: [{name: v1beta2, storage: true, " + version +
                ", {name: v1beta1, storage: false, " + version + "]}}"
        ) == "201"
    );
    std::size_t called = 0;
    client.webhook = [&called](const WebhookCall&) -> Result<Value> {
        ++called;
        return make_invalid("nobody answers");
    };
    const std::string old_version = "/apis/kueue.x-k8s.io/v1beta1/clusterqueues";
    const std::string queue = "{metadata: {name: c}, spec: {cohort: root}}";
    const std::string made = client.outcome("POST", old_version, queue);
    CHECK(called == calls);
    CHECK((made == "201") == (calls == 0));
    if (calls == 0) {
        const std::string at = "/apis/kueue.x-k8s.io/v1beta2/clusterqueues/c";
        CHECK(client.at(at, {"spec", "cohortName"}) == "root");
    }
}

TEST_CASE("a scale is that of the stored version", "[conversions]") {
    Gadgets client;
    const std::string definition = std::string(kDefinitions) + "/gadgets.example.com";
    Value changed = client.ask("GET", definition);
    Value& versions = *changed.find("spec")->find("versions");
    const auto scale = [](const char* path) {
        return json::Object{
            {"scale",
             json::Object{{"specReplicasPath", path}, {"statusReplicasPath", ".status.replicas"}}}
        };
    };
    versions.as_array()[0].set("subresources", scale(".spec.size"));
    versions.as_array()[1].set("subresources", scale(".spec.width"));
    REQUIRE(client.outcome("PUT", definition, json::print(changed)) == "200");
    REQUIRE(client.outcome("POST", kOld, "{metadata: {name: a}, spec: {size: 1}}") == "201");
    CHECK(client.outcome("PATCH", kNew + "/a/scale", "{spec: {replicas: 4}}", kMerge) == "200");
    CHECK(client.at(kOld + "/a", {"spec", "size"}) == "4");
    CHECK(client.at(kNew + "/a/scale", {"spec", "replicas"}) == "4");

    // What v2 owns of the object is found by a conversion.
    const std::string label = "{metadata: {labels: {a: b}}}";
    REQUIRE(client.outcome("PATCH", kNew + "/a", label, kMerge) == "200");
    CHECK(client.outcome("PATCH", kNew + "/a/scale", "{spec: {replicas: 5}}", kMerge) == "200");
    CHECK(client.outcome("PATCH", kOld + "/a/scale", "{spec: {replicas: 6}}", kMerge) == "200");
    CHECK(client.at(kOld + "/a", {"spec", "size"}) == "6");

    SECTION("and is refused where the webhook does not answer") {
        client.webhook = nullptr;
        const std::string more = "{spec: {replicas: 7}}";
        CHECK(client.outcome("PATCH", kNew + "/a/scale", more, kMerge).starts_with("500"));
    }
    SECTION("and is made of the number that there is once the webhook has answered") {
        const std::string at = kOld + "/a/scale";
        const auto answer = client.webhook;
        bool has_written = false;
        client.webhook = [&](const WebhookCall& call) {
            if (!std::exchange(has_written, true)) {
                CHECK(client.outcome("PATCH", at, "{spec: {replicas: 8}}", kMerge) == "200");
            }
            return answer(call);
        };
        SECTION("by a patch") {
            CHECK(client.outcome("PATCH", at, "{spec: {replicas: 9}}", kMerge) == "200");
            CHECK(client.at(at, {"spec", "replicas"}) == "9");
        }
        SECTION("but for a whole scale of another version") {
            Value whole = client.ask("GET", at);
            whole.find("spec")->set("replicas", 9);
            CHECK(client.outcome("PUT", at, json::print(whole)).starts_with("409"));
            CHECK(client.at(at, {"spec", "replicas"}) == "8");
        }
    }
}

}  // namespace sluice::test
