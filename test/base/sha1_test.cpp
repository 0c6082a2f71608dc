#include "base/sha1.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

namespace sluice {

TEST_CASE("SHA-1 is that of the standard", "[base]") {
    CHECK(sha1_hex("") == "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    CHECK(sha1_hex("abc") == "a9993e364706816aba3e25717850c26c9cd0d89d");
    CHECK(sha1_hex(std::string(1000, 'a')) == "291e9a6c66994949b57ba5e650361e98fc36b1ba");
    CHECK(sha1_hex(std::string("\0\n", 2)) == "49594bfbf3a97620aa5dea68d4440b39b6bede04");
}

}  // namespace sluice
