#include "serving/webhook_address.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <string>

namespace sluice::serving {

TEST_CASE("hosts are named as certificates name them", "[webhook]") {
    CHECK(canonical_host("FD00::7") == "fd00::7");
    CHECK(canonical_host("10.0.0.2") == "10.0.0.2");
    CHECK(canonical_host("Node.example") == "Node.example");
}

TEST_CASE("URLs of webhooks are taken apart", "[webhook]") {
    struct Row {
        const char* text;
        const char* host;
        int port;
        const char* path;
    };
    const auto row = GENERATE(
        Row{"https://a.b:9443/convert", "a.b", 9443, "/convert"},
        Row{"https://a.b", "a.b", 443, "/"},
        Row{"https://[::1]:1/x", "::1", 1, "/x"},
        Row{"https://[::1]/x", "::1", 443, "/x"}
    );
    const auto url = parse_https_url(row.text);
    REQUIRE(url);
    CHECK(url->host == row.host);
    CHECK(url->port == row.port);
    CHECK(url->path == row.path);
    for (const auto* bad :
         {"http://a", "https://", "https://a:b/", "https://a:70000/", "a", "https://a/x?y"}) {
        CAPTURE(bad);
        CHECK_FALSE(parse_https_url(bad));
    }
}

TEST_CASE("an IPv6 address stands in brackets in a URL", "[webhook]") {
    CHECK(make_origin("fd00::7", 9443) == "https://[fd00::7]:9443");
    CHECK(make_origin("10.0.0.1", 1) == "https://10.0.0.1:1");
}

TEST_CASE("a clientConfig says one way and the authority", "[webhook]") {
    const WebhookAddress by_url{"https://10.0.0.1:9443", "svc", "ns", "authority"};
    const auto url = make_client_config(by_url, "/mutate");
    CHECK(url.string_at("url") == "https://10.0.0.1:9443/mutate");
    CHECK(url.find("service")->is_null());
    CHECK(url.string_at("caBundle") == "YXV0aG9yaXR5");
    WebhookAddress by_service = by_url;
    by_service.origin.clear();
    by_service.authority_pem.clear();
    const auto service = make_client_config(by_service, "/mutate");
    CHECK(service.find("url")->is_null());
    CHECK(service.find("service")->string_at("path") == "/mutate");
    CHECK(service.find("caBundle") == nullptr);
    CHECK_FALSE(is_same_client_config(nullptr, url));
    CHECK_FALSE(is_same_client_config(&service, url));
    CHECK(is_same_client_config(&url, url));
    // The port of the Service has a default, and an authority that is not ours to say may stay.
    json::Value live = service;
    live.find("service")->set("port", 443);
    live.set("caBundle", "foreign");
    CHECK(is_same_client_config(&live, service));
}

}  // namespace sluice::serving
