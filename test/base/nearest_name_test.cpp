#include "base/nearest_name.hpp"

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <string>
#include <string_view>

namespace sluice {
namespace {

constexpr std::array<std::string_view, 4> kKnown{"bindAddress", "bindPort", "qps", "burst"};

}  // namespace

TEST_CASE("the nearest name is the one with the fewest changed letters", "[base]") {
    CHECK(nearest_name("bindAdress", kKnown) == "bindAddress");
    CHECK(nearest_name("BINDPORT", kKnown) == "bindPort");
    CHECK(nearest_name("qsp", kKnown) == "qps");
    CHECK(nearest_name("brust", kKnown) == "burst");
}

TEST_CASE("a name that is near none is not guessed", "[base]") {
    CHECK(nearest_name("frameworks", kKnown).empty());
    CHECK(nearest_name("", kKnown).empty());
    CHECK(nearest_name("x", kKnown).empty());
    CHECK(nearest_name(std::string(1'000'000, 'b'), kKnown).empty());
}

TEST_CASE("a suggestion continues the sentence of an error", "[base]") {
    CHECK(suggest_name("brust", kKnown) == "; did you mean \"burst\"?");
    CHECK(suggest_name("nothing", kKnown).empty());
}

}  // namespace sluice
