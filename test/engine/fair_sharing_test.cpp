// Shares as they are reported and compared.
#include "engine/state/fair_sharing.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstdint>
#include <limits>

namespace sluice::engine {
namespace {

Share share(double ratio, double weight) {
    Share made;
    made.unweighted_ratio = ratio;
    made.weight = weight;
    return made;
}

TEST_CASE("a share is reported rounded up", "[engine][fair]") {
    CHECK(share(0.0, 1.0).rounded() == 0);
    CHECK(share(1e-9, 1.0).rounded() == 1);
    CHECK(share(250.0, 1.0).rounded() == 250);
    CHECK(share(250.0, 2.0).rounded() == 125);
    CHECK(share(250.0, 3.0).rounded() == 84);
}

TEST_CASE("what a borrower of weight 0 has is reported as the largest share", "[engine][fair]") {
    constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
    CHECK(share(1.0, 0.0).rounded() == kMax);
    CHECK(share(1e300, 1.0).rounded() == kMax);
    CHECK(share(0.0, 0.0).rounded() == 0);
    CHECK(std::isinf(share(1.0, 0.0).weighted()));
}

TEST_CASE("borrowers of weight 0 are compared by what they borrow", "[engine][fair]") {
    CHECK(compare(share(1.0, 0.0), share(1e9, 1.0)) > 0);
    CHECK(compare(share(2.0, 0.0), share(1.0, 0.0)) > 0);
    CHECK(compare(share(1.0, 0.0), share(1.0, 0.0)) == 0);
    CHECK(compare(share(0.0, 0.0), share(1.0, 1.0)) < 0);
}

}  // namespace
}  // namespace sluice::engine
