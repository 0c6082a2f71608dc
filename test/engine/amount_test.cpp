#include "engine/types/amount.hpp"

#include <catch2/catch_test_macros.hpp>

namespace sluice::engine {

TEST_CASE("amounts saturate instead of wrapping around", "[engine][amount]") {
    const Amount big(Amount::unlimited().value() - 1);
    CHECK((big + Amount(10)).is_unlimited());
    CHECK(Amount::lowest() - Amount(1) == Amount::lowest());
    CHECK((big * 3).is_unlimited());
    CHECK(Amount(7) * 0 == Amount());
}

TEST_CASE("unlimited stays unlimited", "[engine][amount]") {
    CHECK(Amount::unlimited() + Amount(-5) == Amount::unlimited());
    CHECK(Amount::unlimited() - Amount(5) == Amount::unlimited());
    CHECK(Amount::unlimited() - Amount::unlimited() == Amount());
    CHECK(Amount(5) - Amount::unlimited() == Amount::lowest());
}

}  // namespace sluice::engine
