#include "base/prng.hpp"

#include <catch2/catch_test_macros.hpp>

#include <limits>

namespace sluice {

TEST_CASE("equal seeds give equal numbers", "[base]") {
    Prng a(7);
    Prng b(7);
    Prng c(8);
    const auto first = a.next();
    CHECK(first == b.next());
    CHECK(first != c.next());
}

TEST_CASE("numbers stay inside their bounds", "[base]") {
    Prng prng(1);
    for (int i = 0; i < 1000; ++i) {
        const auto n = prng.between(-3, 3);
        REQUIRE(n >= -3);
        REQUIRE(n <= 3);
        REQUIRE(prng.below(5) < 5);
    }
    CHECK(prng.below(0) == 0);
    const auto low = std::numeric_limits<std::int64_t>::min();
    const auto high = std::numeric_limits<std::int64_t>::max();
    CHECK(prng.between(low, high) != prng.between(low, high));
}

}  // namespace sluice
