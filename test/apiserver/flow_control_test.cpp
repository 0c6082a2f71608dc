#include "apiserver/flow_control.hpp"

#include "apiserver/server_client.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

namespace sluice::test {

namespace {

const std::string kFlowControl = "/apis/flowcontrol.apiserver.k8s.io/v1/";

constexpr std::string_view kLevel =
    "{metadata: {name: slow}, spec: {type: Limited, limited: {nominalConcurrencyShares: 5, "
    "limitResponse: {type: Reject}}}}";

std::string schema(const std::string& rules) {
    return "{metadata: {name: f}, spec: {matchingPrecedence: 100, priorityLevelConfiguration: "
           "{name: slow}, rules: [{subjects: [{kind: User, user: {name: jane}}], " +
           rules + "}]}}";
}

}  // namespace

TEST_CASE("a FlowSchema says whether its level is there", "[apiserver]") {
    ServerClient client;
    const auto dangles = [&client] {
        const json::Value found = client.ask("GET", kFlowControl + "flowschemas/f");
        for (const json::Value& each : found.find_path({"status", "conditions"})->as_array()) {
            if (each.string_at("type") == "Dangling") {
                return std::string(each.string_at("status"));
            }
        }
        return std::string();
    };
    const std::string rules = "nonResourceRules: [{verbs: ['*'], nonResourceURLs: ['*']}]";
    REQUIRE(client.outcome("POST", kFlowControl + "flowschemas", schema(rules)) == "201");
    CHECK(dangles() == "True");
    const std::string levels = kFlowControl + "prioritylevelconfigurations";
    REQUIRE(client.outcome("POST", levels, kLevel) == "201");
    CHECK(dangles() == "False");
    const std::string line = "apiserver_flowcontrol_nominal_limit_seats{priority_level=\"slow\"} ";
    CHECK(client.send("GET", "/metrics").body.find(line) != std::string::npos);
    REQUIRE(client.outcome("DELETE", levels + "/slow") == "200");
    CHECK(dangles() == "True");
    CHECK(client.send("GET", "/metrics").body.find(line) == std::string::npos);
}

TEST_CASE("a request falls under the first FlowSchema that is about it", "[apiserver]") {
    ServerClient client;
    const std::string levels = kFlowControl + "prioritylevelconfigurations";
    const std::string schemas = kFlowControl + "flowschemas";
    REQUIRE(client.outcome("POST", levels, kLevel) == "201");
    const auto uid_of = [&client](const std::string& path) {
        return client.at(path, {"metadata", "uid"});
    };
    const auto classify = [&client](const std::string& user, std::string_view target) {
        apiserver::Request request = apiserver::make_request("GET", target);
        request.user = user;
        return apiserver::classify_request(client.server.state(), request);
    };
    const std::string everything = uid_of(schemas + "/catch-all");
    SECTION("by its user and its path") {
        const std::string rules = "nonResourceRules: [{verbs: [get], nonResourceURLs: ['/ver*']}]";
        REQUIRE(client.outcome("POST", schemas, schema(rules)) == "201");
        CHECK(classify("jane", "/version").schema == uid_of(schemas + "/f"));
        CHECK(classify("jane", "/version").level == uid_of(levels + "/slow"));
        CHECK(classify("joe", "/version").schema == everything);
        CHECK(classify("jane", "/livez").schema == everything);
        CHECK(classify("kubernetes-admin", "/version").schema == uid_of(schemas + "/exempt"));
    }
    SECTION("by the resource that it is about") {
        const std::string rules =
            "resourceRules: [{verbs: [list], apiGroups: [''], resources: [configmaps], namespaces: "
            "[default]}]";
        REQUIRE(client.outcome("POST", schemas, schema(rules)) == "201");
        CHECK(classify("jane", kConfigMaps).schema == uid_of(schemas + "/f"));
        CHECK(classify("jane", std::string(kConfigMaps) + "/a").schema == everything);
        CHECK(classify("jane", "/api/v1/configmaps").schema == everything);
        CHECK(classify("jane", kPods).schema == everything);
    }
    SECTION("unless its level is missing") {
        const std::string rules = "nonResourceRules: [{verbs: ['*'], nonResourceURLs: ['*']}]";
        REQUIRE(client.outcome("POST", schemas, schema(rules)) == "201");
        REQUIRE(client.outcome("DELETE", levels + "/slow") == "200");
        CHECK(classify("jane", "/version").schema == everything);
    }
}

}  // namespace sluice::test
