#include "config/name_rules.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

namespace sluice::config {

TEST_CASE("names have the forms that Kubernetes prescribes", "[config][names]") {
    CHECK(is_dns_1035_label("a0"));
    CHECK_FALSE(is_dns_1035_label("0a"));
    CHECK_FALSE(is_dns_1035_label(""));
    CHECK_FALSE(is_dns_1035_label(std::string(64, 'a')));
    CHECK(is_c_identifier("_a9"));
    CHECK_FALSE(is_c_identifier("9a"));
    CHECK_FALSE(is_c_identifier(""));
    CHECK_FALSE(is_c_identifier("a-b"));
}

TEST_CASE("addresses are IPv4 or IPv6", "[config][names]") {
    for (const auto* good :
         {"0.0.0.0",
          "127.0.0.1",
          "255.255.255.255",
          "::",
          "::1",
          "fe80::1",
          "1:2:3:4:5:6:7:8",
          "::ffff:10.0.0.1",
          "1::8",
          "1:2:3:4:5:6:1.2.3.4",
          "1:2:3:4:5:6:7::"}) {
        CAPTURE(good);
        CHECK(is_ip_address(good));
    }
    for (const auto* bad :
         {"",
          "1.2.3",
          "1.2.3.4.5",
          "1.2.3.256",
          "01.2.3.4",
          "1.2.3.4 ",
          "localhost",
          ":",
          ":::",
          "1:2:3:4:5:6:7",
          "1:2:3:4:5:6:7:8:9",
          "1::2::3",
          "12345::",
          "g::",
          "1:2:3:4:5:6:7:8::",
          "[::1]",
          "::1:"}) {
        CAPTURE(bad);
        CHECK_FALSE(is_ip_address(bad));
    }
}

}  // namespace sluice::config
