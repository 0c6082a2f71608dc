#include "base/sha1.hpp"
#include "base/sha256.hpp"

#include <catch2/catch_test_macros.hpp>

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

}  // namespace sluice
