#include "base/clock_steps.hpp"

#include "support/manual_clock.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <chrono>

namespace sluice {
namespace {

using namespace std::chrono_literals;

Duration observe(ClockSteps& steps, const Clock& clock) {
    return steps.observe(clock.now(), clock.instant());
}

}  // namespace

TEST_CASE("a wall clock that is set is noticed once, by how much", "[base][clock]") {
    const auto by = GENERATE(Duration(1h), Duration(-1h), Duration(-100ms));
    test::ManualClock clock;
    ClockSteps steps;
    CHECK(observe(steps, clock) == 0s);
    clock.advance(5min);
    CHECK(observe(steps, clock) == 0s);
    clock.step_wall(by);
    clock.advance(5min);
    CHECK(observe(steps, clock) == by);
    CHECK(observe(steps, clock) == 0s);
}

TEST_CASE("a wall clock that is slowed down is noticed when it adds up", "[base][clock]") {
    test::ManualClock clock;
    ClockSteps steps;
    Duration told{};
    for (int i = 0; i < 25; ++i) {
        told += observe(steps, clock);
        clock.advance(1min);
        clock.step_wall(-30ms);
    }
    CHECK(told == -720ms);
}

TEST_CASE("a wall time is waited for as long as it takes", "[base][clock]") {
    const test::ManualClock clock;
    const Time wall = clock.now();
    const Instant now = clock.instant();
    CHECK(to_instant(wall + 1h, wall, now) == now + 1h);
    CHECK(to_instant(wall - 1h, wall, now) == now);
    CHECK(to_instant(Time::min(), wall, now) == now);
    CHECK(to_instant(Time::max(), wall, now) > now + 24h * 365 * 200);
}

}  // namespace sluice
