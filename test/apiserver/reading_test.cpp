#include "apiserver/server_client.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <chrono>
#include <string>

namespace sluice::test {

namespace {

std::string names(const json::Value& list) {
    std::string all;
    for (const json::Value& item : list.find("items")->as_array()) {
        all += item.find("metadata")->string_at("name");
    }
    return all;
}

void make(ServerClient& client, std::string_view all) {
    for (const char name : all) {
        client.ask(
            "POST",
            kConfigMaps,
            fmt::format("{{metadata: {{name: {0}, labels: {{l: {0}}}}}}}", name)
        );
    }
}

}  // namespace

TEST_CASE("a list comes in pages, all as of one moment", "[apiserver]") {
    ServerClient client;
    make(client, "abcde");
    const std::string target(kConfigMaps);
    const json::Value first = client.ask("GET", target + "?limit=2");
    CHECK(names(first) == "ab");
    const json::Value& metadata = *first.find("metadata");
    CHECK(metadata.find("remainingItemCount")->as_int() == 3);
    client.ask("DELETE", target + "/c");
    make(client, "f");
    const std::string token(metadata.string_at("continue"));
    const json::Value second = client.ask("GET", target + "?limit=9&continue=" + token);
    CHECK(names(second) == "cde");
    CHECK(second.find("metadata")->string_at("continue").empty());
    CHECK(names(client.ask("GET", target)) == "abdef");
    client.server.state().store.compact();
    make(client, "g");
    CHECK(client.outcome("GET", target + "?continue=" + token).starts_with("410 Expired: "));
    CHECK(
        client.outcome("GET", target + "?continue=x") ==
        "400 BadRequest: invalid continue token: continue key is not valid: illegal base64 data"
    );
}

TEST_CASE("a list that takes too long goes on with what is there", "[apiserver]") {
    ServerClient client;
    make(client, "abcde");
    const std::string target = std::string(kConfigMaps) + "?limit=2";
    const json::Value first = client.ask("GET", target);
    const std::string token(first.find("metadata")->string_at("continue"));
    client.now += std::chrono::minutes(4);
    CHECK(names(client.ask("GET", target + "&continue=" + token)) == "cd");
    client.now += std::chrono::minutes(1);
    const json::Value refusal = client.ask("GET", target + "&continue=" + token);
    CHECK(refusal.string_at("reason") == "Expired");
    const std::string other(refusal.find("metadata")->string_at("continue"));
    const json::Value second = client.ask("GET", target + "&continue=" + other);
    CHECK(names(second) == "cd");
    CHECK(second.find("metadata")->find("remainingItemCount")->as_int() == 1);
    const std::string version = "resourceVersion";
    CHECK(
        second.find("metadata")->string_at(version) != first.find("metadata")->string_at(version)
    );
}

TEST_CASE("lists are chosen from", "[apiserver]") {
    ServerClient client;
    make(client, "abc");
    const std::string target(kConfigMaps);
    CHECK(names(client.ask("GET", target + "?labelSelector=l%20in%20(a,c)")) == "ac");
    CHECK(names(client.ask("GET", target + "?fieldSelector=metadata.name%3Db")) == "b");
    CHECK(names(client.ask("GET", "/api/v1/configmaps?labelSelector=l%3Da")) == "a");
    CHECK(
        client.outcome("GET", target + "?fieldSelector=data.x%3D1") ==
        "400 BadRequest: \"data.x\" is not a known field selector: only \"metadata.name\", "
        "\"metadata.namespace\""
    );
}

TEST_CASE("tables of built-in kinds have the columns of a real API server", "[apiserver]") {
    ServerClient client;
    client.ask("POST", kConfigMaps, "{metadata: {name: a}, data: {k: v, l: w}}");
    client.ask("POST", kPods, "{metadata: {name: p}, spec: {containers: [{name: c, image: i}]}}");
    const auto table = [&client](std::string_view target) {
        apiserver::Request request = apiserver::make_request("GET", target);
        request.accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
        return *json::parse(client.server.handle(request, client.now).body);
    };
    const json::Value maps = table(kConfigMaps);
    CHECK(json::print(*maps.find("rows")->as_array().front().find("cells")) == R"(["a",2,"0s"])");
    const json::Value pods = table(kPods);
    CHECK(pods.find("columnDefinitions")->as_array().size() == 9);
    CHECK(
        json::print(*pods.find("rows")->as_array().front().find("cells")) ==
        R"(["p","0/1","Pending","0","0s","<none>","<none>","<none>","<none>"])"
    );
}

TEST_CASE("a method that discovery does not tell is not allowed", "[apiserver]") {
    ServerClient client;
    CHECK(client.outcome("DELETE", "/api/v1/namespaces").starts_with("405 MethodNotAllowed: "));
    CHECK(client.outcome("DELETE", "/api/v1/configmaps").starts_with("405 MethodNotAllowed: "));
    CHECK(client.outcome("GET", "/api/v1/configmaps") == "200");
}

TEST_CASE("discovery's roots are the same with a slash after them", "[apiserver]") {
    ServerClient client;
    for (const auto* const path : {"/api", "/apis", "/apis/batch", "/apis/batch/v1", "/api/v1"}) {
        const auto response = client.send("GET", std::string(path) + "/");
        CHECK(response.status == 200);
        CHECK(response.body == client.send("GET", path).body);
    }
    CHECK(client.ask("GET", "/api/").string_at("kind") == "APIVersions");
}

TEST_CASE("kubectl explain finds the fields of all kinds", "[apiserver]") {
    ServerClient client;
    client.ask("POST", kDefinitions, kWidgetDefinition);
    const auto core = client.ask("GET", "/openapi/v3/api/v1");
    CHECK(
        core.find_path(
            {"components",
             "schemas",
             "io.k8s.api.core.v1.PodSpec",
             "properties",
             "priorityClassName"}
        ) != nullptr
    );
    const auto own = client.ask("GET", "/openapi/v3/apis/example.com/v1");
    CHECK(
        own.find_path(
            {"components", "schemas", "com.example.v1.Widget", "properties", "spec", "properties"}
        ) != nullptr
    );
}

TEST_CASE("documents of OpenAPI describe metadata, and have no empty lists", "[apiserver]") {
    ServerClient client;
    REQUIRE(client.outcome("POST", kDefinitions, kWidgetDefinition) == "201");
    const auto response = client.send("GET", "/openapi/v3/apis/example.com/v1");
    const auto document = json::parse(response.body);
    REQUIRE(document.has_value());
    const std::string meta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
    const json::Value* created = document->find_path(
        {"components", "schemas", meta, "properties", "creationTimestamp", "description"}
    );
    CHECK(created != nullptr);
    CHECK(response.body.find("\"parameters\":[]") == std::string::npos);
}

TEST_CASE("a server tells how it is, check by check", "[apiserver]") {
    ServerClient client;
    const auto body = [&client](const std::string& target) {
        return client.send("GET", target).body;
    };
    CHECK(body("/healthz") == "ok");
    CHECK(body("/livez/ping") == "ok");
    CHECK(client.send("GET", "/livez/nothing").status == 404);
    const std::string all = body("/healthz?verbose");
    CHECK(all.starts_with("[+]ping ok\n[+]log ok\n[+]etcd ok\n"));
    CHECK(
        all.find("[+]poststarthook/scheduling/bootstrap-system-priority-classes ok\n") != all.npos
    );
    CHECK(all.ends_with("ok\nhealthz check passed\n"));
    CHECK(body("/healthz/poststarthook/crd-informer-synced") == "ok");
    const std::string some = body("/livez?verbose&exclude=etcd&exclude=x");
    CHECK(some.starts_with("[+]ping ok\n[+]log ok\n[+]etcd excluded: ok\n"));
    CHECK(
        some.ends_with("warn: some health checks cannot be excluded: no matches for \"x\"\nlivez "
                       "check passed\n")
    );
    CHECK(body("/readyz?verbose").ends_with("[+]shutdown ok\nreadyz check passed\n"));
}

}  // namespace sluice::test
