#include "apiserver/server_client.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

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

}  // namespace sluice::test
