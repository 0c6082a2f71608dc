#include "apiserver/state/snapshot.hpp"

#include "base/sha256.hpp"
#include "server_client.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

namespace sluice::test {

namespace {

using apiserver::parse_image;
using apiserver::print_image;
using apiserver::take_image;

constexpr std::string_view kDefinition = R"(
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: things, singular: thing, kind: Thing, listKind: ThingList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, properties: {size: {type: integer, default: 3}}}}
)";
constexpr std::string_view kThings = "/apis/example.com/v1/namespaces/default/things";

std::string things_at(std::string_view name) {
    return std::string(kThings) + "/" + std::string(name);
}

std::string map_at(std::string_view name) {
    return std::string(kConfigMaps) + "/" + std::string(name);
}

void fill(ServerClient& client) {
    REQUIRE(client.outcome("POST", kDefinitions, kDefinition) == "201");
    REQUIRE(client.outcome("POST", kThings, "{metadata: {name: t}, spec: {}}") == "201");
    REQUIRE(
        client.outcome("POST", kConfigMaps, "{metadata: {name: m}, data: {a: \"1\"}}") == "201"
    );
    REQUIRE(client.outcome("DELETE", "/api/v1/namespaces/kube-public") != "404");
}

std::string why(std::string_view text) {
    const auto image = parse_image(text);
    return image ? "none" : image.error().detail;
}

/// With a checksum that holds.
std::string sealed(std::string text) {
    text += sha256_hex(text);
    return text + "\n";
}

}  // namespace

TEST_CASE("a server has from a snapshot what was there, uids and versions too", "[snapshot]") {
    ServerClient before;
    fill(before);
    const std::string text = print_image(take_image(before.server.state().store));
    auto image = parse_image(text);
    REQUIRE(image);
    CHECK(print_image(*image) == text);

    ServerClient after;
    const std::int64_t old_version = before.server.state().store.version();
    apiserver::restore_image(after.server.state(), std::move(*image));
    for (const std::string& path : {things_at("t"), map_at("m")}) {
        CHECK(before.ask("GET", path) == after.ask("GET", path));
    }
    CHECK(before.at("/api/v1/namespaces", {"items"}) == after.at("/api/v1/namespaces", {"items"}));
    CHECK(after.server.state().store.version() > old_version);

    SECTION("and its kinds are defined") {
        CHECK(after.outcome("POST", kThings, "{metadata: {name: u}, spec: {}}") == "201");
        CHECK(after.at(things_at("u"), {"spec", "size"}) == "3");
    }
    SECTION("and objects can be changed with the version that they had") {
        const std::string version = before.at(map_at("m"), {"metadata", "resourceVersion"});
        CHECK(
            after.outcome(
                "PUT", map_at("m"), "{metadata: {name: m, resourceVersion: '" + version + "'}}"
            ) == "200"
        );
    }
    SECTION("and owners are known") {
        const std::string uid = before.at(map_at("m"), {"metadata", "uid"});
        CHECK(after.server.state().find_by_uid(uid) != nullptr);
    }
}

TEST_CASE("watches from before a snapshot are told to list again", "[snapshot]") {
    ServerClient before;
    fill(before);
    auto image = parse_image(print_image(take_image(before.server.state().store)));
    REQUIRE(image);
    const std::int64_t saved = image->version;
    ServerClient after;
    apiserver::restore_image(after.server.state(), std::move(*image));
    // Those that saw what was written after the snapshot, too.
    for (const std::int64_t version : {std::int64_t{1}, saved, saved + 1000}) {
        CAPTURE(version);
        const auto watch = after.watch(
            std::string(kConfigMaps) + "?watch=true&resourceVersion=" + std::to_string(version)
        );
        REQUIRE(watch != nullptr);
        CHECK(watch->take().find("\"code\":410") != std::string::npos);
    }
    const std::string now = std::to_string(after.server.state().store.version());
    const auto watch = after.watch(std::string(kConfigMaps) + "?watch=true&resourceVersion=" + now);
    REQUIRE(watch != nullptr);
    CHECK(after.outcome("POST", kConfigMaps, "{metadata: {name: late}}") == "201");
    CHECK(after.events(*watch) == std::vector<std::string>{"ADDED late"});
}

TEST_CASE("a snapshot that is not whole is refused, wherever it ends", "[snapshot]") {
    ServerClient client;
    const std::string text = print_image(take_image(client.server.state().store));
    for (std::size_t size = 0; size < text.size(); ++size) {
        CAPTURE(size);
        REQUIRE(why(std::string_view(text).substr(0, size)) == "it is truncated");
    }
    CHECK(why(text) == "none");
}

TEST_CASE("a snapshot of which one bit has turned is refused", "[snapshot]") {
    ServerClient client;
    const std::string text = print_image(take_image(client.server.state().store));
    for (std::size_t place = 0; place < text.size(); ++place) {
        CAPTURE(place);
        std::string damaged = text;
        damaged[place] = static_cast<char>(damaged[place] ^ 1);
        REQUIRE(why(damaged) != "none");
    }
}

TEST_CASE("foreign files are told from snapshots", "[snapshot]") {
    CHECK(why("apiVersion: v1\n") == "it is not a snapshot of sluice dev");
    CHECK(
        why("\x7f"
            "ELF") == "it is not a snapshot of sluice dev"
    );
    CHECK(
        why(sealed("{\"sluiceSnapshot\":2,\"version\":1,\"objects\":0}\n")) ==
        "it is of format 2, this version reads format 1"
    );
    const std::string header = "{\"sluiceSnapshot\":1,\"version\":1,\"objects\":1}\n";
    CHECK(why(sealed(header)) == "none");
    CHECK(why(sealed("{\"sluiceSnapshot\":1}\n")) == "its first line is not a header");
    CHECK(why(sealed(header + "{}\n")) == "line 2: it is not a stored object");
    CHECK(why(sealed(header + "{\n")).starts_with("line 2: "));
}

TEST_CASE("a snapshot that has an object twice is refused", "[snapshot]") {
    const std::string header = "{\"sluiceSnapshot\":1,\"version\":1,\"objects\":2}\n";
    const auto entry = [](const std::string& ns, const std::string& name) {
        return R"({"group":"","plural":"configmaps","namespace":")" + ns + R"(","name":")" + name +
               R"(","object":{"metadata":{"name":")" + name +
               R"(","uid":"u","resourceVersion":"1"}}})" + "\n";
    };
    CHECK(
        why(sealed(header + entry("a", "m") + entry("a", "m"))) ==
        "line 3: configmaps a/m appears twice"
    );
    CHECK(
        why(sealed(header + entry("", "m") + entry("", "m"))) ==
        "line 3: configmaps m appears twice"
    );
    CHECK(why(sealed(header + entry("a", "m") + entry("b", "m"))) == "none");
}

}  // namespace sluice::test
