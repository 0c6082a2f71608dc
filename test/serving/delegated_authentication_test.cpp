#include "serving/delegated_authentication.hpp"

#include "net/transport/certificate.hpp"
#include "support/client_certificate.hpp"
#include "support/manual_clock.hpp"
#include "support/review_client.hpp"
#include "support/run_async.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sluice::serving {
namespace {

using namespace std::chrono_literals;

constexpr Time kNow{1'800'000'000s};
constexpr net::Validity kYear{kNow, 24h * 365};
using Texts = std::vector<std::string>;

/// An API server's authorities, with the certificates that they signed.
struct Cluster {
    net::CertificateAndKey proxy_authority = *net::make_authority("front-proxy-ca", kYear);
    net::CertificateAndKey client_authority = *net::make_authority("kubernetes-ca", kYear);
    std::string proxy = make(proxy_authority, "front-proxy-client");
    AuthenticationRules rules{
        .client_authorities_pem = client_authority.certificate_pem,
        .proxy_authorities_pem = proxy_authority.certificate_pem,
        .proxy_names = {"front-proxy-client"},
        .user_headers = {"X-Remote-User"},
        .uid_headers = {"X-Remote-Uid"},
        .group_headers = {"X-Remote-Group"},
        .extra_header_prefixes = {"X-Remote-Extra-"},
    };

    static std::string make(
        const net::CertificateAndKey& authority, const std::string& name, const Texts& groups = {}
    ) {
        return test::make_client_certificate(authority, name, groups, kYear);
    }
};

const net::HttpHeaders kAlice = {
    {"x-remote-user", "alice"},
    {"X-Remote-Group", "a"},
    {"X-Remote-Uid", "7"},
    {"X-Remote-Group", "b"},
    {"X-Remote-Extra-Example.com%2FScopes", "read"},
};

}  // namespace

TEST_CASE("the API server as a proxy says for whom it asks", "[serving][authentication]") {
    const Cluster cluster;
    const auto user = find_proxied_user(cluster.rules, cluster.proxy, kAlice, kNow);
    REQUIRE(user);
    CHECK(user->name == "alice");
    CHECK(user->uid == "7");
    CHECK(user->groups == Texts{"a", "b", "system:authenticated"});
    CHECK(user->extra.at("example.com/scopes") == Texts{"read"});
}

TEST_CASE("only the API server may name a user in a header", "[serving][authentication]") {
    const Cluster cluster;
    const auto find = [&](const std::string& certificates) {
        return find_proxied_user(cluster.rules, certificates, kAlice, kNow).has_value();
    };
    REQUIRE(find(cluster.proxy));
    CHECK_FALSE(find(""));
    CHECK_FALSE(find("-----BEGIN CERTIFICATE-----\nxx\n-----END CERTIFICATE-----\n"));
    CHECK_FALSE(find(Cluster::make(cluster.proxy_authority, "another-client")));
    CHECK_FALSE(find(Cluster::make(cluster.client_authority, "front-proxy-client")));
    // An authority of the same name is another one.
    CHECK_FALSE(
        find(Cluster::make(*net::make_authority("front-proxy-ca", kYear), "front-proxy-client"))
    );
    // What a stranger signed does not become good by the real certificate behind it.
    const auto own = *net::make_authority("own", kYear);
    CHECK_FALSE(find(Cluster::make(own, "front-proxy-client") + cluster.proxy));
    // A server's certificate is none of a client.
    const auto server =
        *net::make_serving_certificate(cluster.proxy_authority, {"front-proxy-client"}, kYear);
    CHECK_FALSE(find(server.certificate_pem));
    CHECK_FALSE(
        find_proxied_user(cluster.rules, cluster.proxy, kAlice, kNow + 24h * 366).has_value()
    );
    CHECK_FALSE(find_proxied_user(cluster.rules, cluster.proxy, {}, kNow).has_value());
    CHECK_FALSE(find_proxied_user(AuthenticationRules(), cluster.proxy, kAlice, kNow).has_value());
}

TEST_CASE("any name of the proxy will do where none is required", "[serving][authentication]") {
    Cluster cluster;
    cluster.rules.proxy_names.clear();
    const auto other = Cluster::make(cluster.proxy_authority, "another-client");
    CHECK(find_proxied_user(cluster.rules, other, kAlice, kNow).has_value());
}

TEST_CASE("a client certificate names its user and groups", "[serving][authentication]") {
    const Cluster cluster;
    const auto bob = Cluster::make(cluster.client_authority, "bob", {"team", "system:masters"});
    const auto user = find_certified_user(cluster.rules, bob, kNow);
    REQUIRE(user);
    CHECK(user->name == "bob");
    CHECK(user->groups == Texts{"team", "system:masters", "system:authenticated"});
    CHECK_FALSE(find_certified_user(cluster.rules, cluster.proxy, kNow).has_value());
    CHECK_FALSE(find_certified_user(AuthenticationRules(), bob, kNow).has_value());
}

TEST_CASE(
    "who shows a certificate that nobody believes is not let in", "[serving][authentication]"
) {
    const Cluster cluster;
    net::EventLoop loop;
    test::ManualClock clock{kNow};
    test::ReviewClient client{[](const kube::ResourcePath&, const json::Value&) {
        return json::Value(
            json::Object{{"authenticated", true}, {"user", json::Object{{"username", "by-token"}}}}
        );
    }};
    AccessReviews reviews{client, clock};
    DelegatedAuthentication authentication{client, reviews, clock};
    const auto stranger = std::make_shared<const std::string>(
        Cluster::make(*net::make_authority("another", kYear), "mallory")
    );
    const auto identify = [&](net::HttpHeaders headers,
                              std::shared_ptr<const std::string> certificates) {
        return *test::run_async(
            loop, authentication.identify(std::move(headers), std::move(certificates))
        );
    };
    CHECK_FALSE(identify({}, stranger).has_value());
    CHECK(identify({{"Authorization", "Bearer t"}}, stranger)->name == "by-token");
    CHECK(identify({}, nullptr)->name == "system:anonymous");
}

TEST_CASE("the rules are read from what the API server publishes", "[serving][authentication]") {
    const auto published = json::parse(R"({"data": {
        "client-ca-file": "C",
        "requestheader-allowed-names": "[\"front-proxy-client\"]",
        "requestheader-client-ca-file": "P",
        "requestheader-extra-headers-prefix": "[\"X-Remote-Extra-\"]",
        "requestheader-group-headers": "[\"X-Remote-Group\"]",
        "requestheader-username-headers": "[\"X-Remote-User\", \"X-Other\"]"}})");
    const auto rules = read_authentication_rules(*published);
    CHECK(rules.client_authorities_pem == "C");
    CHECK(rules.proxy_authorities_pem == "P");
    CHECK(rules.proxy_names == Texts{"front-proxy-client"});
    CHECK(rules.user_headers == Texts{"X-Remote-User", "X-Other"});
    CHECK(rules.group_headers == Texts{"X-Remote-Group"});
    CHECK(rules.uid_headers.empty());
    CHECK(read_authentication_rules(*json::parse("{}")).proxy_authorities_pem.empty());
    const auto broken = json::parse(R"({"data": {"requestheader-username-headers": "[1"}})");
    CHECK(read_authentication_rules(*broken).user_headers.empty());
    const auto names = json::parse(
        R"({"data": {"requestheader-client-ca-file": "P", "requestheader-allowed-names": "[1]"}})"
    );
    CHECK(read_authentication_rules(*names).proxy_authorities_pem.empty());
}

}  // namespace sluice::serving
