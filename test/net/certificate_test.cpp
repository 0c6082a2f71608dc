#include "net/transport/certificate.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace sluice::net {
namespace {

using namespace std::chrono_literals;
constexpr Validity kYear{Time(1'800'000'000s), 24h * 365};

}  // namespace

TEST_CASE(
    "an authority signs serving certificates with names and addresses", "[net][certificate]"
) {
    const auto authority = make_authority("kueue-ca", kYear);
    REQUIRE(authority);
    const auto about_authority = parse_certificate(authority->certificate_pem);
    REQUIRE(about_authority);
    CHECK(about_authority->is_authority);
    CHECK(about_authority->common_name == "kueue-ca");
    const std::vector<std::string> names{
        "kueue-webhook-service.kueue-system.svc", "10.1.2.3", "fd00::1"
    };
    const auto serving = make_serving_certificate(*authority, names, kYear);
    REQUIRE(serving);
    const auto about = parse_certificate(serving->certificate_pem);
    REQUIRE(about);
    CHECK(about->names == names);
    CHECK_FALSE(about->is_authority);
    CHECK(about->not_before == kYear.now - 1h);
    CHECK(about->not_after == kYear.now + kYear.length);
    CHECK(*is_signed_by(serving->certificate_pem, authority->certificate_pem));
    const auto other = make_authority("kueue-ca", kYear);
    REQUIRE(other);
    CHECK_FALSE(*is_signed_by(serving->certificate_pem, other->certificate_pem));
}

TEST_CASE("what is no certificate or no name is one clear error", "[net][certificate]") {
    const auto authority = make_authority("ca", kYear);
    REQUIRE(authority);
    CHECK_FALSE(parse_certificate("-----BEGIN CERTIFICATE-----\nxx\n-----END CERTIFICATE-----\n"));
    CHECK(parse_certificate("").error().detail.starts_with("certificate cannot be read"));
    CHECK_FALSE(make_serving_certificate(*authority, {}, kYear));
    const auto bad = make_serving_certificate(*authority, {"a,DNS:b"}, kYear);
    REQUIRE_FALSE(bad);
    CHECK(bad.error().detail == "\"a,DNS:b\" is neither a host name nor an IP address");
    CHECK(make_serving_certificate({authority->certificate_pem, "x"}, {"a"}, kYear)
              .error()
              .detail.starts_with("authority: private key cannot be read"));
}

TEST_CASE("uuids are well formed and differ", "[net][certificate]") {
    const auto one = make_uuid();
    CHECK(one.size() == 36);
    CHECK(one[14] == '4');
    CHECK(one != make_uuid());
}

}  // namespace sluice::net
