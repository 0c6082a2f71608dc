#include "serving/certificates.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace sluice::serving {
namespace {

using namespace std::chrono_literals;

constexpr Time kNow = Time(1'800'000'000s);
const std::vector<std::string> kNames = {"svc.ns.svc", "10.0.0.1"};

ServingCertificates make(
    const ServingCertificates& present, const std::vector<std::string>& names, Time now = kNow
) {
    const auto made = make_certificates(present, "test-ca", names, now);
    REQUIRE(made);
    return *made;
}

api::Secret make_secret(const std::vector<std::string>& names) {
    api::Secret secret;
    secret.data = to_secret_data(make({}, names));
    return secret;
}

bool is_good(const api::Secret& secret, Time now = kNow) {
    return is_good_for(from_secret(secret), kNames, now);
}

bool has_name(const std::string& pem, const std::string& name) {
    const auto info = net::parse_certificate(pem);
    return info && std::ranges::find(info->names, name) != info->names.end();
}

}  // namespace

TEST_CASE("what one replica put into the Secret another one reads", "[certificates]") {
    const auto secret = make_secret(kNames);
    CHECK(is_good(secret));
    CHECK(to_secret_data(from_secret(secret)) == secret.data);
    CHECK_FALSE(is_good({}));
}

TEST_CASE("a Secret that lacks a part or has a foreign one counts as none", "[certificates]") {
    auto secret = make_secret(kNames);
    const auto* key = GENERATE("ca.crt", "ca.key", "tls.crt", "tls.key");
    CAPTURE(key);
    SECTION("missing") {
        secret.data.erase(key);
        CHECK_FALSE(is_good(secret));
    }
    SECTION("not base64") {
        secret.data[key] = "*";
        CHECK_FALSE(is_good(secret));
    }
    SECTION("renewed, all are there again") {
        secret.data.erase(key);
        secret.data = to_secret_data(make(from_secret(secret), kNames));
        CHECK(is_good(secret));
    }
}

TEST_CASE("a serving certificate of another authority counts as none", "[certificates]") {
    auto secret = make_secret(kNames);
    secret.data["ca.crt"] = make_secret(kNames).data.at("ca.crt");
    CHECK_FALSE(is_good(secret));
}

TEST_CASE("certificates are renewed three months before their end", "[certificates]") {
    const auto secret = make_secret(kNames);
    CHECK(is_good(secret, kNow + 24h * 274));
    CHECK_FALSE(is_good(secret, kNow + 24h * 276));
    CHECK_FALSE(is_good(secret, kNow - 2h));
}

TEST_CASE("an authority near its end is replaced, one that counts is kept", "[certificates]") {
    const auto first = make({}, kNames);
    const auto second = make(first, kNames, kNow + 24h * 300);
    CHECK(second.authority.certificate_pem == first.authority.certificate_pem);
    CHECK(second.serving.certificate_pem != first.serving.certificate_pem);
    const auto third = make(second, kNames, kNow + 24h * 3600);
    CHECK(third.authority.certificate_pem != first.authority.certificate_pem);
}

TEST_CASE("a replica adds its name and keeps those of the others", "[certificates]") {
    const std::vector<std::string> others = {"svc.ns.svc", "10.0.0.2"};
    const auto first = make({}, kNames);
    CHECK_FALSE(is_good_for(first, others, kNow));
    const auto both = make(first, others);
    CHECK(has_name(both.serving.certificate_pem, "10.0.0.1"));
    CHECK(has_name(both.serving.certificate_pem, "10.0.0.2"));
    CHECK(both.authority.certificate_pem == first.authority.certificate_pem);
    CHECK(is_good_for(both, kNames, kNow));
    CHECK(is_good_for(both, others, kNow));
}

}  // namespace sluice::serving
