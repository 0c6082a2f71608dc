#include "engine/metamorphic.hpp"

#include <catch2/catch_test_macros.hpp>

namespace sluice::reference {
namespace {

constexpr std::uint64_t kCases = 150;

template <class Check>
void check_all(const Check& check) {
    for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
        const auto differs = [&](const Case& tried) { return check(tried, seed); };
        const Case played = make_case(seed);
        if (differs(played)) {
            const Case smallest = shrink(played, differs);
            FAIL(to_text(smallest) << differs(smallest).value_or(""));
        }
    }
}

}  // namespace

TEST_CASE("the order in which objects are told changes nothing", "[engine][metamorphic]") {
    check_all(differs_when_permuted);
}

TEST_CASE("names that sort alike change nothing but names", "[engine][metamorphic]") {
    check_all(differs_when_renamed);
}

TEST_CASE("an empty queue or cohort in another tree changes nothing", "[engine][metamorphic]") {
    check_all(differs_with_empty_trees);
}

TEST_CASE("twice of everything changes no decision", "[engine][metamorphic]") {
    check_all(differs_when_doubled);
}

TEST_CASE("what was told before an object was as it is changes nothing", "[engine][metamorphic]") {
    check_all(differs_after_detours);
}

}  // namespace sluice::reference
