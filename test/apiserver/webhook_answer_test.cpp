#include "apiserver/server_client.hpp"
#include "apiserver/state/webhook_call.hpp"
#include "kube/core/base64.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <functional>
#include <string>
#include <utility>

namespace sluice::test {

using apiserver::WebhookCall;
using json::Value;

namespace {

const std::string kMaps(kConfigMaps);
const std::string kPatch =
    kube::encode_base64(R"([{"op":"add","path":"/data","value":{"a":"b"}}])");

/// A server with a webhook that is asked about new ConfigMaps.
struct Hooked : ServerClient {
    explicit Hooked(
        const std::string& kind, const std::string& more = "admissionReviewVersions: [v1]"
    ) {
        REQUIRE(
            outcome(
                "POST",
                "/apis/admissionregistration.k8s.io/v1/" + kind + "webhookconfigurations",
                "{metadata: {name: m}, webhooks: [{name: m.example.com, sideEffects: None, "
                "clientConfig: {url: 'https://127.0.0.1:9443/admit'}, rules: [{apiGroups: [''], "
                "apiVersions: [v1], operations: [CREATE], resources: [configmaps]}], " +
                    more + "}]}"
            ) == "201"
        );
    }

    /// What comes of a create that is answered so, after `spoil` of the whole answer.
    std::string answered(Value response, const std::function<void(Value&)>& spoil = [](Value&) {}) {
        webhook = [response = std::move(response), spoil](const WebhookCall& call) {
            Value answer = admission_answer(call, response);
            spoil(answer);
            return Result<Value>(std::move(answer));
        };
        return outcome("POST", kMaps, "{metadata: {name: a}}");
    }
};

const std::string kRefusal =
    "500 InternalError: Internal error occurred: failed calling webhook \"m.example.com\": "
    "received invalid webhook response: ";

Value allowed() {
    return json::Object{{"allowed", true}};
}

}  // namespace

TEST_CASE("an answer to another review admits nothing", "[apiserver][webhooks]") {
    SECTION("without a uid") {
        Hooked client("validating");
        const std::string outcome = client.answered(allowed(), [](Value& answer) {
            answer.find("response")->erase("uid");
        });
        CHECK(outcome.starts_with(kRefusal + "expected response.uid=\""));
        CHECK(outcome.ends_with("\", got \"\""));
        CHECK(client.outcome("GET", kMaps + "/a").starts_with("404 "));
    }
    SECTION("of no kind") {
        Hooked client("validating");
        CHECK(
            client.answered(
                allowed(),
                [](Value& answer) {
                    answer.erase("kind");
                    answer.erase("apiVersion");
                }
            ) == kRefusal +
                     "expected webhook response of admission.k8s.io/v1, "
                     "Kind=AdmissionReview, got /, Kind="
        );
    }
    SECTION("without a response") {
        Hooked client("validating");
        const std::string outcome =
            client.answered(allowed(), [](Value& answer) { answer.erase("response"); });
        CHECK(outcome == kRefusal + "webhook response was absent");
    }
    SECTION("unless failures are to be ignored") {
        Hooked client("validating", "admissionReviewVersions: [v1], failurePolicy: Ignore");
        CHECK(client.answered(allowed(), [](Value& answer) { answer = Value(3); }) == "201");
    }
}

TEST_CASE("a patch of a webhook comes with its type", "[apiserver][webhooks]") {
    Value response = allowed();
    SECTION("and is done") {
        Hooked client("mutating");
        response.set("patch", kPatch);
        response.set("patchType", "JSONPatch");
        CHECK(client.answered(std::move(response)) == "201");
        CHECK(client.at(kMaps + "/a", {"data", "a"}) == "b");
    }
    SECTION("and not without it") {
        Hooked client("mutating");
        response.set("patch", kPatch);
        CHECK(
            client.answered(std::move(response)) ==
            kRefusal + "webhook returned response.patch but not response.patchType"
        );
    }
    SECTION("nor the type without a patch") {
        Hooked client("mutating");
        response.set("patchType", "JSONPatch");
        CHECK(
            client.answered(std::move(response)) ==
            kRefusal + "webhook returned response.patchType but not response.patch"
        );
    }
    SECTION("of which there is one") {
        Hooked client("mutating");
        response.set("patch", kPatch);
        response.set("patchType", "MergePatch");
        CHECK(
            client.answered(std::move(response)) ==
            kRefusal + "webhook returned invalid response.patchType of \"MergePatch\""
        );
    }
    SECTION("and never from a validating webhook") {
        Hooked client("validating");
        response.set("patch", kPatch);
        response.set("patchType", "JSONPatch");
        CHECK(
            client.answered(std::move(response)) ==
            kRefusal + "validating webhook may not return response.patch"
        );
    }
}

TEST_CASE("a denial is a failure whatever its code", "[apiserver][webhooks]") {
    const auto [code, status] = GENERATE(table<std::int64_t, std::string>(
        {{0, "403"}, {200, "403"}, {422, "422"}, {503, "503"}, {600, "403"}, {4'294'967'496, "403"}}
    ));
    CAPTURE(code);
    Hooked client("validating");
    const std::string outcome = client.answered(json::Object{
        {"allowed", false}, {"status", json::Object{{"code", code}, {"message", "no"}}}
    });
    CHECK(
        outcome == status + " Forbidden: admission webhook \"m.example.com\" denied the request: no"
    );
}

TEST_CASE("a webhook is asked in a version of reviews that it knows", "[apiserver][webhooks]") {
    const auto [versions, version] = GENERATE(table<std::string, std::string>(
        {{"v1beta1", "v1beta1"}, {"v2, v1beta1, v1", "v1beta1"}, {"v1, v1beta1", "v1"}}
    ));
    Hooked client("mutating", "admissionReviewVersions: [" + versions + "]");
    Value response = allowed();
    response.set("patch", kPatch);
    response.set("patchType", "JSONPatch");
    std::string asked;
    const auto note = [&asked](Value& answer) { asked = answer.string_at("apiVersion"); };
    CHECK(client.answered(std::move(response), note) == "201");
    CHECK(asked == "admission.k8s.io/" + version);
    CHECK(client.at(kMaps + "/a", {"data", "a"}) == "b");
}

}  // namespace sluice::test
