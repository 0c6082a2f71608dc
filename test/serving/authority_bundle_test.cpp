#include "serving/authority_bundle.hpp"

#include "net/transport/certificate.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <string>

namespace sluice::serving {
namespace {

using namespace std::chrono_literals;

constexpr Time kNow = Time(1'800'000'000s);

std::string make_authority(Duration begun_before = 0s, Duration length = 24h * 365) {
    const auto made =
        net::make_authority("authority", {.now = kNow - begun_before, .length = length});
    REQUIRE(made);
    return made->certificate_pem;
}

}  // namespace

TEST_CASE("a list of certificates is taken apart", "[authorities]") {
    const auto a = make_authority();
    const auto b = make_authority();
    const std::vector<std::string> both = {a, b};
    CHECK(split_certificates(a + b) == both);
    CHECK(split_certificates("# company\r\n" + a + "\n\n" + b + "rest") == both);
    CHECK(split_certificates("").empty());
    CHECK(split_certificates("no PEM").empty());
    CHECK(split_certificates(a + "-----BEGIN CERTIFICATE-----\nMII") == std::vector{a});
}

TEST_CASE("lists with the same certificates are the same in any order", "[authorities]") {
    const auto a = make_authority();
    const auto b = make_authority();
    CHECK(has_same_certificates(a + b, b + a + a));
    CHECK_FALSE(has_same_certificates(a + b, a));
    CHECK_FALSE(has_same_certificates(a, ""));
    CHECK_FALSE(has_same_certificates("", ""));
    CHECK_FALSE(has_same_certificates("one", "two"));
}

TEST_CASE("authorities of others stay after the own ones until they expire", "[authorities]") {
    const auto own = make_authority();
    const auto other = make_authority();
    const auto expired = make_authority(24h * 10, 24h * 9);
    CHECK(unite_authorities(own, other, kNow) == own + other);
    CHECK(unite_authorities(own, own + other + other, kNow) == own + other);
    CHECK(unite_authorities(own, expired + other, kNow) == own + other);
    CHECK(unite_authorities(own, "", kNow) == own);
    const std::string broken = "-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----\n";
    CHECK(unite_authorities(own, broken + other, kNow) == own + other);
}

TEST_CASE("of many authorities of others the latest stay", "[authorities]") {
    const auto own = make_authority(24h * 100);
    std::string published;
    std::string latest;
    for (int age = 6; age >= 1; --age) {
        const auto other = make_authority(24h * age);
        published += other;
        latest = age <= 4 ? other + latest : latest;
    }
    CHECK(unite_authorities(own, published, kNow) == own + latest);
}

}  // namespace sluice::serving
