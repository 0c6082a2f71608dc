#include "apiserver/server_client.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace sluice::test {

namespace {

const std::string kMaps(kConfigMaps);
/// More than a stack has room for, were each of them a call in the one before.
constexpr int kMany = 20'000;

/// Puts a ConfigMap there as a write would have; `owner`: its uid, or "".
void store_map(
    ServerClient& client, const std::string& ns, const std::string& name, const std::string& owner
) {
    json::Value metadata = json::Object{{"name", name}, {"namespace", ns}, {"uid", "uid-" + name}};
    if (!owner.empty()) {
        metadata.set(
            "ownerReferences",
            json::Array{json::Object{
                {"apiVersion", "v1"},
                {"kind", "ConfigMap"},
                {"name", owner.substr(4)},
                {"uid", owner},
                {"blockOwnerDeletion", true}
            }}
        );
    }
    client.server.state().store.put(
        {"", "configmaps"},
        {ns, name},
        json::Object{{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", std::move(metadata)}}
    );
}

std::string nth(int number) {
    return fmt::format("m{}", number);
}

std::size_t count_maps(const ServerClient& client) {
    return client.server.state().store.objects({"", "configmaps"}).size();
}

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

TEST_CASE("an owner does not wait for a dependent that lets go of it", "[apiserver]") {
    ServerClient client;
    client.ask("POST", kConfigMaps, "{metadata: {name: owner}}");
    make_child(client, "child", "owner");
    const std::string type = "application/merge-patch+json";
    client.ask("PATCH", kMaps + "/child", "{metadata: {finalizers: [example.com/x]}}", type);
    client.ask("DELETE", kMaps + "/owner?propagationPolicy=Foreground");
    REQUIRE(client.outcome("GET", kMaps + "/owner") == "200");
    client.ask("PATCH", kMaps + "/child", "{data: {a: b}}", type);
    REQUIRE(client.outcome("GET", kMaps + "/owner") == "200");
    client.ask("PATCH", kMaps + "/child", "{metadata: {ownerReferences: null}}", type);
    CHECK(client.outcome("GET", kMaps + "/owner").starts_with("404 "));
    CHECK(client.outcome("GET", kMaps + "/child") == "200");
}

TEST_CASE("an odd grace period is bounded", "[apiserver]") {
    ServerClient client;
    const std::string pods(kPods);
    client.ask("POST", kPods, "{metadata: {name: p}, spec: {containers: [{name: c, image: i}]}}");
    CHECK(client.outcome("POST", pods + "/p/binding", "{target: {name: n1}}") == "201");
    SECTION("one below zero is a second") {
        client.ask("DELETE", pods + "/p?gracePeriodSeconds=-5");
        CHECK(client.at(pods + "/p", {"metadata", "deletionGracePeriodSeconds"}) == "1");
        CHECK(client.at(pods + "/p", {"metadata", "deletionTimestamp"}) == "2026-01-01T00:00:01Z");
    }
    SECTION("one beyond the clock is long") {
        client.ask("DELETE", pods + "/p?gracePeriodSeconds=9223372036854775807");
        CHECK(client.at(pods + "/p", {"metadata", "deletionTimestamp"}).starts_with("2126-"));
    }
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

TEST_CASE("what has another owner survives the deletion of one", "[apiserver][deletion]") {
    ServerClient client;
    const std::string maps(kConfigMaps);
    const auto create = [&](const std::string& name, const std::string& owners) {
        return client.outcome(
            "POST", maps, "{metadata: {name: " + name + ", ownerReferences: [" + owners + "]}}"
        );
    };
    REQUIRE(create("a", "") == "201");
    REQUIRE(create("b", "") == "201");
    const auto owner = [&](const std::string& name) {
        return "{apiVersion: v1, kind: ConfigMap, blockOwnerDeletion: true, name: " + name +
               ", uid: " + client.at(maps + "/" + name, {"metadata", "uid"}) + "}";
    };
    REQUIRE(create("both", owner("a") + ", " + owner("b")) == "201");
    REQUIRE(create("one", owner("a")) == "201");
    CHECK(client.outcome("DELETE", maps + "/a?propagationPolicy=Foreground") == "200");
    CHECK(client.outcome("GET", maps + "/a").starts_with("404"));
    CHECK(client.outcome("GET", maps + "/one").starts_with("404"));
    CHECK(client.outcome("GET", maps + "/both") == "200");
    const std::string owners = client.at(maps + "/both", {"metadata", "ownerReferences"});
    CHECK(owners.find("\"name\":\"a\"") == std::string::npos);
    CHECK(owners.find("\"name\":\"b\"") != std::string::npos);
}

TEST_CASE("owners in a circle do not wait for each other", "[apiserver][deletion]") {
    ServerClient client;
    const std::string maps(kConfigMaps);
    for (const std::string name : {"a", "b", "c"}) {
        REQUIRE(client.outcome("POST", maps, "{metadata: {name: " + name + "}}") == "201");
    }
    for (const auto& [name, owner] : {std::pair{"a", "c"}, {"b", "a"}, {"c", "b"}}) {
        const std::string uid = client.at(maps + "/" + owner, {"metadata", "uid"});
        REQUIRE(
            client.outcome(
                "PATCH",
                maps + "/" + name,
                "{metadata: {ownerReferences: [{apiVersion: v1, kind: ConfigMap, "
                "blockOwnerDeletion: true, name: " +
                    std::string(owner) + ", uid: " + uid + "}]}}",
                "application/merge-patch+json"
            ) == "200"
        );
    }
    CHECK(client.outcome("DELETE", maps + "/a?propagationPolicy=Foreground") == "200");
    for (const std::string name : {"a", "b", "c"}) {
        CHECK(client.outcome("GET", maps + "/" + name).starts_with("404"));
    }
}

TEST_CASE("a namespace goes however many objects it has", "[apiserver][deletion]") {
    ServerClient client;
    REQUIRE(client.outcome("POST", "/api/v1/namespaces", "{metadata: {name: full}}") == "201");
    const std::size_t others = count_maps(client);
    for (int i = 0; i < kMany; ++i) {
        store_map(client, "full", nth(i), "");
    }
    CHECK(client.outcome("DELETE", "/api/v1/namespaces/full") == "200");
    CHECK(client.outcome("GET", "/api/v1/namespaces/full").starts_with("404 "));
    CHECK(count_maps(client) == others);
}

TEST_CASE("a chain of owners goes however long it is", "[apiserver][deletion]") {
    ServerClient client;
    const std::size_t others = count_maps(client);
    store_map(client, "default", nth(0), "");
    for (int i = 1; i < kMany; ++i) {
        store_map(client, "default", nth(i), "uid-" + nth(i - 1));
    }
    const std::string first = kMaps + "/" + nth(0);
    SECTION("in the background") {
        CHECK(client.outcome("DELETE", first + "?propagationPolicy=Background") == "200");
        CHECK(count_maps(client) == others);
    }
    SECTION("in the foreground") {
        CHECK(client.outcome("DELETE", first + "?propagationPolicy=Foreground") == "200");
        CHECK(count_maps(client) == others);
    }
    SECTION("in the foreground, once the last may go") {
        const std::string last = kMaps + "/" + nth(kMany - 1);
        const auto set_finalizers = [&](const std::string& finalizers) {
            return client.outcome(
                "PATCH",
                last,
                "{metadata: {finalizers: " + finalizers + "}}",
                "application/merge-patch+json"
            );
        };
        REQUIRE(set_finalizers("[example.com/x]") == "200");
        CHECK(client.outcome("DELETE", first + "?propagationPolicy=Foreground") == "200");
        CHECK(count_maps(client) == others + kMany);
        CHECK(client.outcome("DELETE", first + "?propagationPolicy=Foreground") == "200");
        CHECK(set_finalizers("null") == "200");
        CHECK(count_maps(client) == others);
    }
}

TEST_CASE("an owner of many goes after the last of them", "[apiserver][deletion]") {
    ServerClient client;
    const std::size_t others = count_maps(client);
    store_map(client, "default", "owner", "");
    for (int i = 0; i < kMany; ++i) {
        store_map(client, "default", nth(i), "uid-owner");
    }
    std::vector<std::string> gone;
    client.server.state().store.add_observer(
        [&gone](const apiserver::Collection&, const apiserver::LogEntry& entry) {
            if (!entry.after) {
                gone.push_back(entry.name.name);
            }
        }
    );
    CHECK(client.outcome("DELETE", kMaps + "/owner?propagationPolicy=Foreground") == "200");
    CHECK(count_maps(client) == others);
    REQUIRE(gone.size() == kMany + 1);
    CHECK(gone.back() == "owner");
}

TEST_CASE("pods of a namespace go before the rest", "[apiserver][deletion]") {
    ServerClient client;
    REQUIRE(client.outcome("POST", "/api/v1/namespaces", "{metadata: {name: team}}") == "201");
    const std::string space = "/api/v1/namespaces/team";
    REQUIRE(
        client.outcome(
            "POST",
            space + "/pods",
            "{metadata: {name: p, finalizers: [example.com/x]}, spec: {containers: [{name: c, "
            "image: i}]}}"
        ) == "201"
    );
    REQUIRE(client.outcome("POST", space + "/configmaps", "{metadata: {name: a}}") == "201");
    CHECK(client.outcome("DELETE", space) == "200");
    CHECK(client.outcome("GET", space + "/configmaps/a") == "200");
    CHECK(
        client.outcome(
            "PATCH",
            space + "/pods/p",
            "{metadata: {finalizers: null}}",
            "application/merge-patch+json"
        ) == "200"
    );
    CHECK(client.outcome("GET", space + "/configmaps/a").starts_with("404 "));
    CHECK(client.outcome("GET", space).starts_with("404 "));
}

TEST_CASE("a definition goes after the last of its objects", "[apiserver][deletion]") {
    ServerClient client;
    REQUIRE(client.outcome("POST", kDefinitions, kWidgetDefinition) == "201");
    const std::string definition = std::string(kDefinitions) + "/widgets.example.com";
    const std::string widget = std::string(kWidgets) + "/w";
    REQUIRE(
        client.outcome(
            "POST", kWidgets, "{metadata: {name: w, finalizers: [example.com/x]}, spec: {size: 1}}"
        ) == "201"
    );
    CHECK(client.outcome("DELETE", definition) == "200");
    CHECK(client.outcome("GET", definition) == "200");
    CHECK(
        client.outcome(
            "PATCH", widget, "{metadata: {finalizers: null}}", "application/merge-patch+json"
        ) == "200"
    );
    CHECK(client.outcome("GET", definition).starts_with("404 "));
}

}  // namespace sluice::test
