#include "net/transport/url.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <string>

namespace sluice::net {

TEST_CASE("a server's URL has scheme, host, port and path", "[net][url]") {
    struct Row {
        const char* text;
        bool is_https;
        const char* host;
        int port;
        const char* path;
    };
    const auto row = GENERATE(
        Row{"https://example.com", true, "example.com", 443, ""},
        Row{"http://example.com/", false, "example.com", 80, "/"},
        Row{"HTTPS://10.0.0.1:6443", true, "10.0.0.1", 6443, ""},
        Row{"https://[fd00::1]:6443/k8s/a%20b/", true, "fd00::1", 6443, "/k8s/a%20b/"},
        Row{"https://my_host.local:65535/x@y", true, "my_host.local", 65535, "/x@y"}
    );
    CAPTURE(row.text);
    const auto url = parse_server_url(row.text);
    REQUIRE(url);
    CHECK(url->is_https == row.is_https);
    CHECK(url->host == row.host);
    CHECK(url->port == row.port);
    CHECK(url->path == row.path);
}

TEST_CASE("what is no server's URL is refused and not repeated", "[net][url]") {
    const std::string text = GENERATE(
        "",
        "secret",
        "secret:6443",
        "//secret",
        "ftp://secret",
        "https://",
        "https:///secret",
        "https://:443",
        "https://secret:",
        "https://secret:0",
        "https://secret:65536",
        "https://secret:18446744073709551617",
        "https://secret:1x",
        "https://a:secret@host",
        "https://secret@host",
        "https://host?secret",
        "https://host/#secret",
        "https://host/a secret",
        "https://host/%zz",
        "https://secret\r\nHost: other",
        "https://[::1",
        "https://[::1]443",
        "https://[secret]"
    );
    CAPTURE(text);
    const auto url = parse_server_url(text);
    REQUIRE_FALSE(url);
    CHECK(url.error().code == ErrorCode::Invalid);
    CHECK(url.error().detail.find("secret") == std::string::npos);
}

}  // namespace sluice::net
