#include "apiserver/gadgets.hpp"
#include "kube/core/base64.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::test {

using apiserver::WebhookCall;
using json::Value;

namespace {

/// Has admission webhooks asked about Gadgets; `hooks`: of which kind.
void add_hook(
    Gadgets& client, const std::string& hooks, const std::string& versions, const std::string& more
) {
    REQUIRE(
        client.outcome(
            "POST",
            "/apis/admissionregistration.k8s.io/v1/" + hooks + "webhookconfigurations",
            "{metadata: {name: m}, webhooks: [{name: m.example.com, admissionReviewVersions: [v1], "
            "sideEffects: None, clientConfig: {url: 'https://127.0.0.1:9443/admit'}, " +
                more + "rules: [{apiGroups: [example.com], apiVersions: [" + versions +
                "], operations: ['*'], resources: [gadgets]}]}]}"
        ) == "201"
    );
}

/// Has the client's webhook note what it is asked about admission, and answer with the patch, if
/// any.
void answer_admission(Gadgets& client, std::vector<Value>& seen, const char* patch) {
    client.webhook = [&seen, patch, convert = client.webhook](const WebhookCall& call) {
        if (call.review.string_at("kind") == "ConversionReview") {
            return convert(call);
        }
        seen.push_back(*call.review.find("request"));
        Value response = json::Object{{"allowed", true}};
        if (patch != nullptr) {
            response.set("patchType", "JSONPatch");
            response.set("patch", kube::encode_base64(patch));
        }
        return Result<Value>(admission_answer(call, std::move(response)));
    };
}

std::string version_at(const Value& request, std::string_view what) {
    return std::string(request.find(what)->string_at("version"));
}

constexpr const char* kOldPatch = R"([{"op":"replace","path":"/spec/size","value":42}])";
constexpr const char* kNewPatch = R"([{"op":"replace","path":"/spec/width","value":42}])";

}  // namespace

TEST_CASE("a webhook of admission is asked in a version that its rules name", "[conversions]") {
    const auto [versions, policy, asked, told] =
        GENERATE(table<std::string, std::string, std::string, std::string>(
            {{"'*'", "", "v2", "v2"},
             {"v1, v2", "", "v2", "v2"},
             {"v1", "", "v2", "v1"},
             {"v1", "", "v1", "v1"},
             {"v2", "matchPolicy: Equivalent, ", "v1", "v2"},
             {"v2", "matchPolicy: Exact, ", "v2", "v2"},
             {"v2", "matchPolicy: Exact, ", "v1", ""},
             {"v3", "", "v1", ""}}
        ));
    CAPTURE(versions, policy, asked);
    Gadgets client;
    add_hook(client, "mutating", versions, policy);
    std::vector<Value> seen;
    const bool is_new = told == "v2";
    answer_admission(client, seen, is_new ? kNewPatch : kOldPatch);
    const std::string object = asked == "v2" ? "{metadata: {name: a}, spec: {width: 7}}"
                                             : "{metadata: {name: a}, spec: {size: 7}}";
    REQUIRE(client.outcome("POST", asked == "v2" ? kNew : kOld, object) == "201");
    CHECK(client.at(kOld + "/a", {"spec", "size"}) == (told.empty() ? "7" : "42"));
    if (told.empty()) {
        CHECK(seen.empty());
        return;
    }
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].find("object")->string_at("apiVersion") == "example.com/" + told);
    CHECK(*seen[0].find_path({"object", "spec", is_new ? "width" : "size"}) == Value(7));
    CHECK(version_at(seen[0], "kind") == told);
    CHECK(version_at(seen[0], "resource") == told);
    CHECK(version_at(seen[0], "requestKind") == asked);
    CHECK(version_at(seen[0], "requestResource") == asked);

    const std::string change = asked == "v2" ? "{spec: {width: 8}}" : "{spec: {size: 8}}";
    const std::string path = (asked == "v2" ? kNew : kOld) + "/a";
    REQUIRE(client.outcome("PATCH", path, change, kMerge) == "200");
    REQUIRE(seen.size() == 2);
    CHECK(seen[1].find("oldObject")->string_at("apiVersion") == "example.com/" + told);
    CHECK(*seen[1].find_path({"oldObject", "spec", is_new ? "width" : "size"}) == Value(42));
    CHECK(*seen[1].find_path({"object", "spec", is_new ? "width" : "size"}) == Value(8));
}

TEST_CASE("a webhook in the version of the request needs no conversion", "[conversions]") {
    Gadgets client;
    add_hook(client, "validating", "v1, v2", "");
    std::vector<Value> seen;
    answer_admission(client, seen, nullptr);
    REQUIRE(client.outcome("POST", kOld, "{metadata: {name: a}, spec: {size: 7}}") == "201");
    REQUIRE(client.outcome("PATCH", kOld + "/a", "{spec: {size: 8}}", kMerge) == "200");
    CHECK(seen.size() == 2);
    CHECK(client.calls.empty());
}

TEST_CASE("conditions and policies see the version that their rules name", "[conversions]") {
    Gadgets client;
    std::vector<Value> seen;
    const std::string object = "{metadata: {name: a}, spec: {width: 7}}";
    SECTION("of a webhook") {
        const std::string condition =
            "matchConditions: [{name: c, expression: 'object.spec.size == 7'}], ";
        add_hook(client, "validating", "v1", condition);
        answer_admission(client, seen, nullptr);
        REQUIRE(client.outcome("POST", kNew, object) == "201");
        CHECK(seen.size() == 1);
    }
    SECTION("of a policy") {
        const auto [policy, outcome] = GENERATE(table<std::string, std::string>(
            {{"matchPolicy: Equivalent, ", "422 "}, {"", "422 "}, {"matchPolicy: Exact, ", "201"}}
        ));
        const std::string group = "/apis/admissionregistration.k8s.io/v1/validatingadmission";
        REQUIRE(
            client.outcome(
                "POST",
                group + "policies",
                "{metadata: {name: p}, spec: {matchConstraints: {" + policy +
                    "resourceRules: [{apiGroups: [example.com], apiVersions: [v1], operations: "
                    "['*'], resources: [gadgets]}]}, validations: [{expression: "
                    "\"object.spec.size == 8 && request.kind.version == 'v1' && "
                    "request.requestKind.version == 'v2'\"}]}}"
            ) == "201"
        );
        REQUIRE(
            client.outcome(
                "POST",
                group + "policybindings",
                "{metadata: {name: b}, spec: {policyName: p, validationActions: [Deny]}}"
            ) == "201"
        );
        CHECK(client.outcome("POST", kNew, object).starts_with(outcome));
        CHECK(client.outcome("POST", kNew, "{metadata: {name: b}, spec: {width: 8}}") == "201");
    }
}

}  // namespace sluice::test
