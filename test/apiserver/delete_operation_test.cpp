#include "apiserver/server_client.hpp"
#include "apiserver/state/webhook_call.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::test {

namespace {

const std::string kMaps(kConfigMaps);
constexpr std::string_view kAdmission = "/apis/admissionregistration.k8s.io/v1/";

/// A webhook about ConfigMaps that says no to those with a label `keep`.
struct Keeper {
    explicit Keeper(ServerClient& client, const std::string& more = "") {
        client.webhook = [this](const apiserver::WebhookCall& call) -> Result<json::Value> {
            const json::Value& request = *call.review.find("request");
            asked.push_back(request);
            const bool keeps =
                request.find_path({"oldObject", "metadata", "labels", "keep"}) != nullptr;
            json::Value response = json::Object{{"allowed", !keeps}};
            if (keeps) {
                response.set("status", json::Object{{"message", "it is kept"}});
            }
            return admission_answer(call, std::move(response));
        };
        REQUIRE(
            client.outcome(
                "POST",
                std::string(kAdmission) + "validatingwebhookconfigurations",
                "{metadata: {name: m}, webhooks: [{name: m.example.com, admissionReviewVersions: "
                "[v1], sideEffects: None, clientConfig: {url: 'https://127.0.0.1:9443/admit'}, "
                "rules: [{apiGroups: [''], apiVersions: [v1], resources: [configmaps], "
                "operations: [DELETE]}]" +
                    more + "}]}"
            ) == "201"
        );
    }

    std::vector<json::Value> asked;  ///< requests of its reviews
};

std::string map(const std::string& name, const std::string& labels = "") {
    return "{metadata: {name: " + name + ", labels: {" + labels + "}}}";
}

}  // namespace

TEST_CASE("a webhook may keep an object from being deleted", "[apiserver][admission]") {
    ServerClient client;
    Keeper keeper(client);
    REQUIRE(client.outcome("POST", kMaps, map("a", "keep: 'yes'")) == "201");
    REQUIRE(client.outcome("POST", kMaps, map("b")) == "201");
    CHECK(keeper.asked.empty());
    SECTION("of which it is told") {
        CHECK(
            client.outcome("DELETE", kMaps + "/a", "{propagationPolicy: Foreground}") ==
            "403 Forbidden: admission webhook \"m.example.com\" denied the request: it is kept"
        );
        CHECK(client.outcome("GET", kMaps + "/a") == "200");
        REQUIRE(keeper.asked.size() == 1);
        const json::Value& request = keeper.asked[0];
        CHECK(request.string_at("operation") == "DELETE");
        CHECK(request.string_at("name") == "a");
        CHECK(request.string_at("namespace") == "default");
        CHECK(request.find("object")->is_null());
        CHECK(request.find_path({"oldObject", "metadata"})->string_at("name") == "a");
        CHECK(request.find("options")->string_at("kind") == "DeleteOptions");
        CHECK(request.find("options")->string_at("propagationPolicy") == "Foreground");
        CHECK(*request.find("dryRun") == json::Value(false));
    }
    SECTION("and let another one go") {
        CHECK(client.outcome("DELETE", kMaps + "/b") == "200");
        CHECK(client.outcome("GET", kMaps + "/b").starts_with("404"));
    }
    SECTION("also in a rehearsal") {
        CHECK(client.outcome("DELETE", kMaps + "/b?dryRun=All") == "200");
        CHECK(client.outcome("GET", kMaps + "/b") == "200");
        REQUIRE(keeper.asked.size() == 1);
        CHECK(*keeper.asked[0].find("dryRun") == json::Value(true));
        CHECK(client.outcome("DELETE", kMaps + "/b", "{dryRun: [All]}") == "200");
        CHECK(client.outcome("GET", kMaps + "/b") == "200");
        REQUIRE(keeper.asked.size() == 2);
        CHECK(*keeper.asked[1].find("dryRun") == json::Value(true));
    }
    SECTION("and is not asked about one that is not there, or not of its kind") {
        CHECK(client.outcome("DELETE", kMaps + "/none").starts_with("404 NotFound"));
        REQUIRE(client.outcome("POST", "/api/v1/namespaces/default/secrets", map("s")) == "201");
        CHECK(client.outcome("DELETE", "/api/v1/namespaces/default/secrets/s") == "200");
        CHECK(keeper.asked.empty());
    }
    SECTION("nor of others with it") {
        CHECK(client.outcome("DELETE", kMaps).starts_with("403 Forbidden"));
        CHECK(client.outcome("GET", kMaps + "/b") == "200");
        CHECK(client.outcome("DELETE", kMaps + "?labelSelector=!keep") == "200");
        CHECK(client.outcome("GET", kMaps + "/b").starts_with("404"));
        CHECK(client.outcome("GET", kMaps + "/a") == "200");
    }
}

TEST_CASE("a webhook that is dead holds deletions up only if it says so", "[apiserver]") {
    ServerClient client;
    const bool fails = GENERATE(true, false);
    Keeper keeper(client, fails ? "" : ", failurePolicy: Ignore");
    client.webhook = [](const apiserver::WebhookCall&) -> Result<json::Value> {
        return make_invalid("it is dead");
    };
    REQUIRE(client.outcome("POST", kMaps, map("a")) == "201");
    const std::string outcome = client.outcome("DELETE", kMaps + "/a");
    CHECK(outcome.substr(0, 3) == (fails ? "500" : "200"));
}

TEST_CASE("a webhook selects what is deleted by the labels that it has", "[apiserver]") {
    ServerClient client;
    Keeper keeper(
        client, ", objectSelector: {matchExpressions: [{key: l, operator: NotIn, values: [x]}]}"
    );
    REQUIRE(client.outcome("POST", kMaps, map("a", "l: x")) == "201");
    REQUIRE(client.outcome("POST", kMaps, map("b", "l: z")) == "201");
    CHECK(client.outcome("DELETE", kMaps + "/a") == "200");
    CHECK(keeper.asked.empty());
    CHECK(client.outcome("DELETE", kMaps + "/b") == "200");
    CHECK(keeper.asked.size() == 1);
}

TEST_CASE("a policy may keep an object from being deleted", "[apiserver][admission]") {
    ServerClient client;
    REQUIRE(
        client.outcome(
            "POST",
            std::string(kAdmission) + "validatingadmissionpolicies",
            "{metadata: {name: p}, spec: {matchConstraints: {resourceRules: [{apiGroups: [''], "
            "apiVersions: ['*'], operations: [DELETE], resources: [configmaps]}]}, validations: "
            "[{expression: 'object == null && !has(oldObject.metadata.labels)', message: "
            "labelled}]}}"
        ) == "201"
    );
    REQUIRE(
        client.outcome(
            "POST",
            std::string(kAdmission) + "validatingadmissionpolicybindings",
            "{metadata: {name: b}, spec: {policyName: p, validationActions: [Deny]}}"
        ) == "201"
    );
    REQUIRE(client.outcome("POST", kMaps, map("a", "l: x")) == "201");
    REQUIRE(client.outcome("POST", kMaps, "{metadata: {name: b}}") == "201");
    CHECK(
        client.outcome("DELETE", kMaps + "/a") ==
        "422 Invalid: configmaps \"a\" is forbidden: ValidatingAdmissionPolicy 'p' with binding "
        "'b' denied request: labelled"
    );
    CHECK(client.outcome("DELETE", kMaps + "/b") == "200");
    CHECK(client.outcome("GET", kMaps + "/a") == "200");
}

TEST_CASE("a webhook is told the options of the request", "[apiserver][admission]") {
    ServerClient client;
    std::vector<json::Value> seen;
    client.webhook = [&seen](const apiserver::WebhookCall& call) -> Result<json::Value> {
        seen.push_back(*call.review.find_path({"request", "options"}));
        return admission_answer(call, json::Object{{"allowed", true}});
    };
    REQUIRE(
        client.outcome(
            "POST",
            std::string(kAdmission) + "mutatingwebhookconfigurations",
            "{metadata: {name: m}, webhooks: [{name: m.example.com, admissionReviewVersions: "
            "[v1], sideEffects: None, clientConfig: {url: 'https://127.0.0.1:9443/admit'}, "
            "rules: [{apiGroups: [''], apiVersions: [v1], resources: [configmaps], "
            "operations: ['*']}]}]}"
        ) == "201"
    );
    REQUIRE(client.outcome("POST", kMaps + "?fieldManager=me", map("a")) == "201");
    REQUIRE(
        client.outcome("PATCH", kMaps + "/a", "{data: {x: z}}", "application/merge-patch+json") ==
        "200"
    );
    REQUIRE(client.outcome("DELETE", kMaps + "/a?gracePeriodSeconds=3") == "200");
    REQUIRE(seen.size() == 3);
    CHECK(seen[0].string_at("kind") == "CreateOptions");
    CHECK(seen[0].string_at("fieldManager") == "me");
    CHECK(seen[1].string_at("kind") == "UpdateOptions");
    CHECK(seen[2].string_at("kind") == "DeleteOptions");
    CHECK(seen[2].find("gracePeriodSeconds")->as_int() == 3);
}

}  // namespace sluice::test
