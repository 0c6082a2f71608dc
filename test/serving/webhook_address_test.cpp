#include "serving/webhook_address.hpp"

#include "base/clock.hpp"
#include "kube/core/base64.hpp"
#include "net/transport/certificate.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <chrono>
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

TEST_CASE("authorities of others stay where the clientConfig leads to us", "[webhook]") {
    const Time now = SystemClock().now();
    const auto own = net::make_authority("own", {.now = now})->certificate_pem;
    const auto other = net::make_authority("other", {.now = now})->certificate_pem;
    WebhookAddress address{"", "svc", "ns", own};
    json::Value present = make_client_config({"", "svc", "ns", other + own}, "/mutate");
    present.erase("url");
    const auto bundle = [&] {
        const auto wanted = make_client_config(&present, address, "/mutate");
        return *kube::decode_base64(wanted.string_at("caBundle"));
    };
    CHECK(bundle() == own);
    address.keeps_valid_at = now;
    CHECK(bundle() == other + own);  // as it is there
    present.set("caBundle", kube::encode_base64(other));
    CHECK(bundle() == own + other);
    address.keeps_valid_at = now + std::chrono::hours(24 * 366);
    CHECK(bundle() == own);
    address.keeps_valid_at = now;
    for (const char* broken : {"*", "bm8gUEVN", ""}) {
        present.set("caBundle", broken);
        CHECK(bundle() == own);
    }
    present.set("caBundle", kube::encode_base64(other));
    address.service_namespace = "elsewhere";
    CHECK(bundle() == own);
    CHECK(
        make_client_config(nullptr, address, "/mutate") == make_client_config(address, "/mutate")
    );
}

}  // namespace sluice::serving
