#include "base/sha1.hpp"
#include "base/sha256.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <string>

namespace sluice {

TEST_CASE("SHA-1 is that of the standard", "[base]") {
    CHECK(sha1_hex("") == "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    CHECK(sha1_hex("abc") == "a9993e364706816aba3e25717850c26c9cd0d89d");
    CHECK(sha1_hex(std::string(1000, 'a')) == "291e9a6c66994949b57ba5e650361e98fc36b1ba");
    CHECK(sha1_hex(std::string("\0\n", 2)) == "49594bfbf3a97620aa5dea68d4440b39b6bede04");
}

TEST_CASE("SHA-256 is that of the standard", "[base]") {
    CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("HMAC-SHA256 is that of RFC 4231, and secrets are compared whole", "[base]") {
    const std::string code = hmac_sha256("Jefe", "what do ya want for nothing?");
    std::string hex;
    for (const char byte : code) {
        hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    }
    CHECK(hex == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    CHECK(is_equal_secret("abc", "abc"));
    CHECK_FALSE(is_equal_secret("abc", "abd"));
    CHECK_FALSE(is_equal_secret("abc", "ab"));
}

}  // namespace sluice
