#include "apiserver/server_client.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
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

TEST_CASE("a Job leaves its pods behind unless its user says otherwise", "[apiserver]") {
    const bool is_said = GENERATE(false, true);
    ServerClient client;
    client.ask(
        "POST",
        kJobs,
        "{metadata: {name: j}, spec: {template: {spec: {restartPolicy: Never, containers: [{name: "
        "c, image: i}]}}}}"
    );
    const std::string job = std::string(kJobs) + "/j";
    client.ask(
        "POST",
        kPods,
        fmt::format(
            "{{metadata: {{name: p, ownerReferences: [{{apiVersion: batch/v1, kind: Job, name: j, "
            "uid: {}}}]}}, spec: {{containers: [{{name: c, image: i}}]}}}}",
            uid_of(client, job)
        )
    );
    CHECK(
        client.outcome("DELETE", job + (is_said ? "?propagationPolicy=Background" : "")) == "200"
    );
    CHECK(client.outcome("GET", job).substr(0, 3) == "404");
    CHECK(
        client.outcome("GET", std::string(kPods) + "/p").substr(0, 3) == (is_said ? "404" : "200")
    );
    CHECK(client.at(std::string(kPods) + "/p", {"metadata", "ownerReferences"}).empty());
}

}  // namespace sluice::test
