#include "kube/client/proxy_choice.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <map>
#include <string>

namespace sluice::kube {
namespace {

using Environment = std::map<std::string, std::string>;

/// `host:port` of the proxy, "" for none.
std::string chosen(
    const Environment& environment,
    const std::string& host,
    bool use_tls = true,
    std::uint16_t port = 443
) {
    const auto proxy = choose_proxy(environment, use_tls, host, port);
    REQUIRE(proxy);
    return *proxy ? (*proxy)->host + ":" + std::to_string((*proxy)->port) : std::string();
}

}  // namespace

TEST_CASE("the variable of the server's scheme names the proxy", "[kube][proxy]") {
    const Environment both{{"HTTPS_PROXY", "http://a:1"}, {"HTTP_PROXY", "http://b:2"}};
    CHECK(chosen(both, "kube.example.com") == "a:1");
    CHECK(chosen(both, "kube.example.com", false, 80) == "b:2");
    CHECK(chosen({{"https_proxy", "p"}}, "kube.example.com") == "p:80");
    CHECK(chosen({{"HTTPS_PROXY", "A:1"}, {"https_proxy", "b:2"}}, "kube.example.com") == "A:1");
    CHECK(chosen({{"HTTPS_PROXY", ""}}, "kube.example.com").empty());
    CHECK(chosen({}, "kube.example.com").empty());
}

TEST_CASE("a server on this machine is reached directly", "[kube][proxy]") {
    const auto* host = GENERATE("localhost", "LOCALHOST", "127.0.0.1", "127.8.8.8", "::1");
    CHECK(chosen({{"HTTPS_PROXY", "p:1"}}, host).empty());
}

TEST_CASE("NO_PROXY excepts names, addresses, networks and ports", "[kube][proxy]") {
    struct Row {
        const char* no_proxy;
        const char* host;
        bool is_direct;
    };
    const auto row = GENERATE(
        Row{"*", "kube.example.com", true},
        Row{"example.com", "example.com", true},
        Row{"example.com", "kube.example.com", true},
        Row{"example.com", "kubeexample.com", false},
        Row{".example.com", "kube.example.com", true},
        Row{".example.com", "example.com", false},
        Row{"*.example.com", "kube.example.com", true},
        Row{"EXAMPLE.com", "Kube.Example.Com.", true},
        Row{"other, example.com", "kube.example.com", true},
        Row{",,", "kube.example.com", false},
        Row{"example.com:443", "kube.example.com", true},
        Row{"example.com:6443", "kube.example.com", false},
        Row{"10.0.0.1", "10.0.0.1", true},
        Row{"10.0.0.1:443", "10.0.0.1", true},
        Row{"10.0.0.1", "10.0.0.10", false},
        Row{"10.0.0.0/8", "10.9.8.7", true},
        Row{"10.0.0.0/8", "11.0.0.1", false},
        Row{"10.0.0.0/8", "kube.example.com", false},
        Row{"0.1", "10.0.0.1", false},
        Row{"fd00::/8", "fd12::7", true},
        Row{"fd12::7", "fd12:0::7", true},
        Row{"[fd12::7]:443", "fd12::7", true},
        Row{"fd00::/8", "10.0.0.1", false},
        Row{"10.0.0.0/99", "10.0.0.1", false}
    );
    CAPTURE(row.no_proxy, row.host);
    const Environment environment{{"HTTPS_PROXY", "p:1"}, {"no_proxy", row.no_proxy}};
    CHECK(chosen(environment, row.host).empty() == row.is_direct);
}

TEST_CASE(
    "a proxy of another kind is told with its variable, not with its password", "[kube][proxy]"
) {
    const auto* value = GENERATE("https://u:secret@p:1", "socks5://u:secret@p", "http://u:secret@");
    const auto proxy = choose_proxy({{"HTTPS_PROXY", value}}, true, "kube.example.com", 443);
    REQUIRE_FALSE(proxy);
    CHECK(proxy.error().detail.starts_with("HTTPS_PROXY: "));
    CHECK(proxy.error().detail.find("secret") == std::string::npos);
}

}  // namespace sluice::kube
