#include "apiserver/server_client.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <string>

namespace sluice::test {

namespace {

const std::string kMaps(kConfigMaps);

std::string uid_of(ServerClient& client, const std::string& target) {
    return client.at(target, {"metadata", "uid"});
}

void make_child(ServerClient& client, const char* name, const char* owner, bool blocks = true) {
    client.ask(
        "POST",
        kConfigMaps,
        fmt::format(
            "{{metadata: {{name: {}, ownerReferences: [{{apiVersion: v1, kind: ConfigMap, name: "
            "{}, "
            "uid: '{}', blockOwnerDeletion: {}}}]}}}}",
            name,
            owner,
            uid_of(client, kMaps + "/" + owner),
            blocks
        )
    );
}

}  // namespace

TEST_CASE("an object with finalizers waits for the last one", "[apiserver]") {
    ServerClient client;
    client.ask("POST", kConfigMaps, "{metadata: {name: a, finalizers: [example.com/x]}}");
    CHECK(client.outcome("DELETE", kMaps + "/a") == "200");
    CHECK_FALSE(client.at(kMaps + "/a", {"metadata", "deletionTimestamp"}).empty());
    CHECK(
        client.outcome(
            "PATCH", kMaps + "/a", "{metadata: {finalizers: null}}", "application/merge-patch+json"
        ) == "200"
    );
    CHECK(client.outcome("GET", kMaps + "/a").starts_with("404 "));
}

TEST_CASE("dependents go with their last owner", "[apiserver]") {
    ServerClient client;
    client.ask("POST", kConfigMaps, "{metadata: {name: owner}}");
    make_child(client, "child", "owner");
    SECTION("in the background") {
        client.ask("DELETE", kMaps + "/owner");
        CHECK(client.outcome("GET", kMaps + "/child").starts_with("404 "));
    }
    SECTION("not where they are orphaned") {
        client.ask("DELETE", kMaps + "/owner?propagationPolicy=Orphan");
        CHECK(client.at(kMaps + "/child", {"metadata", "ownerReferences"}).empty());
        CHECK(client.outcome("GET", kMaps + "/child") == "200");
    }
    SECTION("before it in the foreground") {
        client.ask(
            "PATCH",
            kMaps + "/child",
            "{metadata: {finalizers: [example.com/x]}}",
            "application/merge-patch+json"
        );
        client.ask("DELETE", kMaps + "/owner?propagationPolicy=Foreground");
        CHECK(
            client.at(kMaps + "/owner", {"metadata", "finalizers"}) == R"(["foregroundDeletion"])"
        );
        client.ask(
            "PATCH",
            kMaps + "/child",
            "{metadata: {finalizers: null}}",
            "application/merge-patch+json"
        );
        CHECK(client.outcome("GET", kMaps + "/child").starts_with("404 "));
        CHECK(client.outcome("GET", kMaps + "/owner").starts_with("404 "));
    }
}

TEST_CASE(
    "a namespace goes with all that is in it, and takes nothing new meanwhile", "[apiserver]"
) {
    ServerClient client;
    client.ask("POST", "/api/v1/namespaces", "{metadata: {name: team}}");
    const std::string maps = "/api/v1/namespaces/team/configmaps";
    client.ask("POST", maps, "{metadata: {name: a}}");
    client.ask("POST", maps, "{metadata: {name: held, finalizers: [example.com/x]}}");
    client.ask("DELETE", "/api/v1/namespaces/team");
    CHECK(client.at("/api/v1/namespaces/team", {"status", "phase"}) == "Terminating");
    CHECK(client.outcome("GET", maps + "/a").starts_with("404 "));
    CHECK(
        client.outcome("POST", maps, "{metadata: {name: b}}") ==
        "403 Forbidden: configmaps \"b\" is forbidden: unable to create new content in namespace "
        "team because it is being terminated"
    );
    client.ask(
        "PATCH", maps + "/held", "{metadata: {finalizers: null}}", "application/merge-patch+json"
    );
    CHECK(client.outcome("GET", "/api/v1/namespaces/team").starts_with("404 "));
}

TEST_CASE("a pod that runs has its grace period", "[apiserver]") {
    ServerClient client;
    const std::string pods(kPods);
    client.ask("POST", kPods, "{metadata: {name: p}, spec: {containers: [{name: c, image: i}]}}");
    CHECK(client.outcome("POST", pods + "/p/binding", "{target: {name: n1}}") == "201");
    CHECK(client.outcome("POST", pods + "/p/binding", "{target: {name: n2}}").starts_with("409 "));
    client.ask("DELETE", pods + "/p");
    CHECK(client.at(pods + "/p", {"metadata", "deletionGracePeriodSeconds"}) == "30");
    CHECK(client.at(pods + "/p", {"metadata", "deletionTimestamp"}) == "2026-01-01T00:00:30Z");
    client.ask("DELETE", pods + "/p?gracePeriodSeconds=0");
    CHECK(client.outcome("GET", pods + "/p").starts_with("404 "));
}

TEST_CASE("a deletion may be bound to one object and one version", "[apiserver]") {
    ServerClient client;
    client.ask("POST", kConfigMaps, "{metadata: {name: a}}");
    CHECK(client.outcome("DELETE", kMaps + "/a", "{preconditions: {uid: other}}")
              .starts_with("409 Conflict: "));
    CHECK(client.outcome("DELETE", kMaps + "/a", "{preconditions: {resourceVersion: '1'}}")
              .starts_with("409 Conflict: "));
    CHECK(client.outcome("DELETE", kMaps + "?labelSelector=x%3Dy") == "200");
    CHECK(client.outcome("GET", kMaps + "/a") == "200");
    CHECK(client.outcome("DELETE", kMaps) == "200");
    CHECK(client.outcome("GET", kMaps + "/a").starts_with("404 "));
}

TEST_CASE("a deletion is answered with what is left, else with a Status", "[apiserver]") {
    ServerClient client;
    const auto kind = [&client](const std::string& target) {
        return std::string(client.ask("DELETE", target).string_at("kind"));
    };
    client.ask("POST", kConfigMaps, "{metadata: {name: a}}");
    client.ask("POST", kConfigMaps, "{metadata: {name: held, finalizers: [example.com/x]}}");
    CHECK(kind(kMaps + "/a?dryRun=All") == "Status");
    CHECK(kind(kMaps + "/a?propagationPolicy=Foreground&dryRun=All") == "ConfigMap");
    CHECK(kind(kMaps + "/a") == "Status");
    CHECK(kind(kMaps + "/held") == "ConfigMap");
    client.ask("POST", kPods, "{metadata: {name: p}, spec: {containers: [{name: c, image: i}]}}");
    CHECK(kind(std::string(kPods) + "/p") == "Pod");
    client.ask("POST", "/api/v1/namespaces", "{metadata: {name: team}}");
    const auto gone = client.ask("DELETE", "/api/v1/namespaces/team");
    CHECK(gone.find_path({"status", "phase"})->as_string() == "Terminating");
    CHECK(client.outcome("GET", "/api/v1/namespaces/team").starts_with("404 "));
}

TEST_CASE("pods of a Job stay where nothing is said of them", "[apiserver]") {
    ServerClient client;
    client.ask(
        "POST",
        kJobs,
        "{metadata: {name: j}, spec: {template: {spec: {restartPolicy: Never,"
        " containers: [{name: c, image: i}]}}}}"
    );
    const std::string j = std::string(kJobs) + "/j";
    const auto response = client.send("DELETE", j);
    REQUIRE(response.warnings.size() == 1);
    CHECK(response.warnings.front().starts_with("child pods are preserved by default"));
    CHECK(
        json::print(*json::parse(response.body)->find_path({"metadata", "finalizers"})) ==
        R"(["orphan"])"
    );
    CHECK(client.outcome("GET", j).starts_with("404 "));
}

TEST_CASE("a definition says when its kind is served", "[apiserver]") {
    ServerClient client;
    client.ask("POST", kDefinitions, kWidgetDefinition);
    const std::string widgets = std::string(kDefinitions) + "/widgets.example.com";
    CHECK(client.at(widgets, {"status", "acceptedNames", "plural"}) == "widgets");
    const auto definition = client.ask("GET", widgets);
    std::string types;
    for (const auto& condition : definition.find_path({"status", "conditions"})->as_array()) {
        types += std::string(condition.string_at("type")) + " ";
    }
    CHECK(types == "NamesAccepted Established ");
}

}  // namespace sluice::test
