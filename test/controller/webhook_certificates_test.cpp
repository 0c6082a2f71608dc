#include "controller/process/webhook_certificates.hpp"

#include "kube/core/base64.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace sluice::controller {
namespace {

using namespace std::chrono_literals;

constexpr Time kNow = Time(1'800'000'000s);
const std::vector<std::string> kNames = {"svc.ns.svc", "10.0.0.1"};

api::Secret make_secret(const std::vector<std::string>& names, Time now = kNow) {
    const auto made = renew_certificates({}, names, now);
    REQUIRE(made);
    api::Secret secret;
    secret.data = to_secret_data(*made);
    return secret;
}

bool has_name(const std::string& pem, const std::string& name) {
    const auto info = net::parse_certificate(pem);
    return info && std::ranges::find(info->names, name) != info->names.end();
}

}  // namespace

TEST_CASE("what one replica put into the Secret another one reads", "[controller][certificates]") {
    const auto secret = make_secret(kNames);
    const auto read = read_certificates(secret, kNames, kNow);
    REQUIRE(read);
    CHECK(to_secret_data(*read) == secret.data);
    CHECK_FALSE(read_certificates({}, kNames, kNow));
}

TEST_CASE("a Secret that lacks a part or has a foreign one counts as none", "[certificates]") {
    auto secret = make_secret(kNames);
    const auto* key = GENERATE("ca.crt", "ca.key", "tls.crt", "tls.key");
    CAPTURE(key);
    SECTION("missing") {
        secret.data.erase(key);
        CHECK_FALSE(read_certificates(secret, kNames, kNow));
    }
    SECTION("not base64") {
        secret.data[key] = "*";
        CHECK_FALSE(read_certificates(secret, kNames, kNow));
    }
    SECTION("renewed, all are there again") {
        secret.data.erase(key);
        const auto made = renew_certificates(secret, kNames, kNow);
        REQUIRE(made);
        secret.data = to_secret_data(*made);
        CHECK(read_certificates(secret, kNames, kNow));
    }
}

TEST_CASE("a serving certificate of another authority counts as none", "[certificates]") {
    auto secret = make_secret(kNames);
    secret.data["ca.crt"] = make_secret(kNames).data.at("ca.crt");
    CHECK_FALSE(read_certificates(secret, kNames, kNow));
}

TEST_CASE("certificates are renewed three months before their end", "[certificates]") {
    const auto secret = make_secret(kNames);
    CHECK(read_certificates(secret, kNames, kNow + 24h * 274));
    CHECK_FALSE(read_certificates(secret, kNames, kNow + 24h * 276));
    CHECK_FALSE(read_certificates(secret, kNames, kNow - 2h));
}

TEST_CASE("a replica adds its name and keeps those of the others", "[certificates]") {
    const auto secret = make_secret(kNames);
    const std::vector<std::string> others = {"svc.ns.svc", "10.0.0.2"};
    CHECK_FALSE(read_certificates(secret, others, kNow));
    const auto both = renew_certificates(secret, others, kNow);
    REQUIRE(both);
    CHECK(has_name(both->serving.certificate_pem, "10.0.0.1"));
    CHECK(has_name(both->serving.certificate_pem, "10.0.0.2"));
    CHECK(kube::encode_base64(both->authority.certificate_pem) == secret.data.at("ca.crt"));
    api::Secret shared;
    shared.data = to_secret_data(*both);
    CHECK(read_certificates(shared, kNames, kNow));
    CHECK(read_certificates(shared, others, kNow));
}

}  // namespace sluice::controller
