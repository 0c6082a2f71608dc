#include "apiserver/server_client.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <string>

namespace sluice::test {

using Events = std::vector<std::string>;

TEST_CASE("a watch tells what happens after a version", "[apiserver][watch]") {
    ServerClient client;
    client.ask("POST", kConfigMaps, "{metadata: {name: a}}");
    const json::Value list = client.ask("GET", kConfigMaps);
    const std::string version(list.find("metadata")->string_at("resourceVersion"));
    const std::string target(kConfigMaps);
    const auto watch = client.watch(target + "?watch=1&resourceVersion=" + version);
    REQUIRE(watch);
    int woken = 0;
    watch->on_change([&woken] { ++woken; });
    CHECK(client.events(*watch).empty());
    client.ask("POST", kConfigMaps, "{metadata: {name: b}}");
    client.ask("PATCH", target + "/a", "{data: {k: v}}", "application/merge-patch+json");
    client.ask("DELETE", target + "/b");
    client.ask("POST", "/api/v1/namespaces/kube-system/configmaps", "{metadata: {name: c}}");
    CHECK(woken == 4);
    CHECK(client.events(*watch) == Events{"ADDED b", "MODIFIED a", "DELETED b"});
    CHECK(client.events(*watch).empty());
}

TEST_CASE("a watch begins with all that is there, and says where that ends", "[apiserver][watch]") {
    ServerClient client;
    client.ask("POST", kConfigMaps, "{metadata: {name: a}}");
    const std::string target(kConfigMaps);
    const auto plain = client.watch(target + "?watch=1");
    CHECK(client.events(*plain) == Events{"ADDED a"});
    const auto marked = client.watch(
        target +
        "?watch=1&sendInitialEvents=true&allowWatchBookmarks=true"
        "&resourceVersionMatch=NotOlderThan"
    );
    const std::string lines = marked->take();
    CHECK(lines.find("k8s.io/initial-events-end") != std::string::npos);
    CHECK(client.outcome("GET", target + "?watch=1&sendInitialEvents=true").starts_with("422 "));
}

TEST_CASE("bookmarks have the form that was asked for", "[apiserver][watch]") {
    ServerClient client;
    client.ask("POST", kConfigMaps, "{metadata: {name: a}}");
    const auto bookmark = [&client](std::string_view form) {
        apiserver::Request request = apiserver::make_request(
            "GET",
            std::string(kConfigMaps) +
                "?watch=1&sendInitialEvents=true&allowWatchBookmarks=true"
                "&resourceVersionMatch=NotOlderThan"
        );
        request.accept = fmt::format("application/json;as={};g=meta.k8s.io;v=v1", form);
        const auto response = client.server.handle(std::move(request), client.now);
        const std::string lines = response.watch->take();
        const auto event = json::parse(std::string_view(lines).substr(lines.find('\n') + 1));
        return *event->find("object");
    };
    const json::Value table = bookmark("Table");
    CHECK(table.string_at("kind") == "Table");
    const json::Value& row = table.find("rows")->as_array().front();
    CHECK(json::print(*row.find("cells")) == R"(["",0,"<unknown>"])");
    const json::Value metadata = bookmark("PartialObjectMetadata");
    for (const json::Value* object : {row.find("object"), &metadata}) {
        CHECK(object->string_at("kind") == "PartialObjectMetadata");
        const json::Value* mark =
            object->find_path({"metadata", "annotations", "k8s.io/initial-events-end"});
        REQUIRE(mark != nullptr);
        CHECK(mark->as_string() == "true");
    }
}

TEST_CASE("what begins or ceases to be chosen comes and goes", "[apiserver][watch]") {
    ServerClient client;
    const std::string target(kConfigMaps);
    const auto watch = client.watch(target + "?watch=1&labelSelector=sel%3Da");
    CHECK(client.events(*watch).empty());
    constexpr std::string_view kMerge = "application/merge-patch+json";
    client.ask("POST", kConfigMaps, "{metadata: {name: a}}");
    client.ask("PATCH", target + "/a", "{metadata: {labels: {sel: a}}}", kMerge);
    client.ask("PATCH", target + "/a", "{data: {k: v}}", kMerge);
    client.ask("PATCH", target + "/a", "{metadata: {labels: {sel: b}}}", kMerge);
    client.ask("DELETE", target + "/a");
    CHECK(client.events(*watch) == Events{"ADDED a", "MODIFIED a", "DELETED a"});
}

TEST_CASE("who comes too late is told to list again", "[apiserver][watch]") {
    ServerClient client;
    client.ask("POST", kConfigMaps, "{metadata: {name: a}}");
    const auto open = client.watch(std::string(kConfigMaps) + "?watch=1&resourceVersion=1");
    client.server.state().store.compact();
    client.ask("POST", kConfigMaps, "{metadata: {name: b}}");
    CHECK(client.events(*open) == Events{"ERROR Expired"});
    CHECK(open->is_over(client.now));
    CHECK(client.events(*open).empty());
}

TEST_CASE("a watch ends in time", "[apiserver][watch]") {
    ServerClient client;
    const auto watch = client.watch(std::string(kConfigMaps) + "?watch=1&timeoutSeconds=10");
    CHECK_FALSE(watch->is_over(client.now));
    CHECK(watch->is_over(client.now + std::chrono::seconds(10)));
}

TEST_CASE("a watch ends with the kind that is watched", "[apiserver][watch]") {
    ServerClient client;
    client.ask("POST", kDefinitions, kWidgetDefinition);
    const auto watch = client.watch(std::string(kWidgets) + "?watch=1");
    int woken = 0;
    watch->on_change([&woken] { ++woken; });
    client.ask("POST", kWidgets, "{metadata: {name: a}, spec: {size: 1}}");
    CHECK(client.events(*watch) == Events{"ADDED a"});
    SECTION("after the last of its objects") {
        client.ask("DELETE", std::string(kDefinitions) + "/widgets.example.com");
        CHECK(client.events(*watch) == Events{"DELETED a"});
        CHECK(watch->is_over(client.now));
    }
    SECTION("also where there is none") {
        client.ask("DELETE", std::string(kWidgets) + "/a");
        CHECK(client.events(*watch) == Events{"DELETED a"});
        CHECK_FALSE(watch->is_over(client.now));
        woken = 0;
        client.ask("DELETE", std::string(kDefinitions) + "/widgets.example.com");
        CHECK(woken > 0);
        CHECK(watch->is_over(client.now));
    }
}

}  // namespace sluice::test
