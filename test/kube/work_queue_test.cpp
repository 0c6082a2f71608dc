#include "kube/runtime/work_queue.hpp"

#include "kube/runtime/backoff.hpp"
#include "kube/runtime/rate_limiter.hpp"
#include "support/manual_clock.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <chrono>
#include <string>

namespace sluice::kube {
namespace {

using namespace std::chrono_literals;
using Queue = WorkQueue<std::string>;
constexpr Instant kStart = Instant(1'000'000s);

}  // namespace

TEST_CASE(
    "a key waits once however often it is added, in the order of first addition", "[kube][queue]"
) {
    Queue queue(1);
    queue.add("a", kStart);
    queue.add("b", kStart);
    queue.add("a", kStart);
    CHECK(queue.ready().size() == 2);
    CHECK(queue.take(kStart) == "a");
    CHECK(queue.take(kStart) == "b");
    CHECK_FALSE(queue.take(kStart));
}

TEST_CASE(
    "a key added while it is processed comes back when it is done, not before", "[kube][queue]"
) {
    Queue queue(1);
    queue.add("a", kStart);
    REQUIRE(queue.take(kStart) == "a");
    queue.add("a", kStart);
    queue.add("a", kStart);
    CHECK_FALSE(queue.take(kStart));
    queue.done("a");
    CHECK(queue.take(kStart) == "a");
    queue.done("a");
    CHECK(queue.ready().empty());
    CHECK(queue.processing().empty());
    CHECK_FALSE(queue.next_due());
}

TEST_CASE(
    "a delayed key becomes ready when it is due, at the earliest of its times", "[kube][queue]"
) {
    Queue queue(1);
    queue.add_at("late", kStart + 9s);
    queue.add_at("a", kStart + 5s);
    queue.add_at("a", kStart + 7s);
    queue.add_at("a", kStart + 3s);
    CHECK(queue.next_due() == kStart + 3s);
    CHECK_FALSE(queue.take(kStart + 2s));
    CHECK(queue.take(kStart + 3s) == "a");
    CHECK(queue.next_due() == kStart + 9s);
    SECTION("adding it at once overtakes the delay") {
        queue.add("late", kStart);
        CHECK(queue.take(kStart + 3s) == "late");
        CHECK_FALSE(queue.next_due());
    }
}

TEST_CASE("a wall clock that is set makes no delayed key early or late", "[kube][queue]") {
    const auto step = GENERATE(Duration(1h), Duration(-1h));
    test::ManualClock clock;
    Queue queue(1, BackoffOptions{2s, 50s, 0});
    queue.add_at("delayed", clock.instant() + 1s);
    queue.add_rate_limited("failed", clock.instant());
    clock.step_wall(step);
    CHECK_FALSE(queue.take(clock.instant()));
    clock.advance(1s);
    CHECK(queue.take(clock.instant()) == "delayed");
    CHECK_FALSE(queue.take(clock.instant()));
    clock.advance(1s);
    CHECK(queue.take(clock.instant()) == "failed");
}

TEST_CASE("a key that is due while it is processed is not lost", "[kube][queue]") {
    Queue queue(1);
    queue.add("a", kStart);
    REQUIRE(queue.take(kStart));
    queue.add_at("a", kStart + 1s);
    CHECK_FALSE(queue.take(kStart + 2s));
    queue.done("a");
    CHECK(queue.take(kStart + 2s) == "a");
}

TEST_CASE("it is known how long a key waited, and since when it is processed", "[kube][queue]") {
    Queue queue(1);
    queue.add("a", kStart);
    queue.add("a", kStart + 1s);
    queue.add_at("b", kStart + 2s);
    REQUIRE(queue.take(kStart + 3s) == "a");
    CHECK(queue.processing().at("a").wanted == kStart);
    CHECK(queue.processing().at("a").taken == kStart + 3s);
    queue.add("a", kStart + 4s);
    // A delayed key waits since it was due.
    REQUIRE(queue.take(kStart + 5s) == "b");
    CHECK(queue.processing().at("b").wanted == kStart + 2s);
    queue.done("a");
    CHECK_FALSE(queue.processing().contains("a"));
    // One that was added while it was processed, since then.
    REQUIRE(queue.take(kStart + 6s) == "a");
    CHECK(queue.processing().at("a").wanted == kStart + 4s);
    CHECK(queue.processing().at("a").taken == kStart + 6s);
}

TEST_CASE("failures double a key's delay up to the limit until it is forgotten", "[kube][queue]") {
    Queue queue(1, BackoffOptions{10ms, 50ms, 0});
    Instant now = kStart;
    for (const auto delay : {10ms, 20ms, 40ms, 50ms, 50ms}) {
        queue.add_rate_limited("a", now);
        CHECK(queue.next_due() == now + delay);
        now += delay;
        REQUIRE(queue.take(now) == "a");
        queue.done("a");
    }
    CHECK(queue.failures("a") == 5);
    queue.forget("a");
    queue.add_rate_limited("a", now);
    CHECK(queue.next_due() == now + 10ms);
}

TEST_CASE(
    "backoff stays within its limit plus jitter after any number of failures", "[kube][backoff]"
) {
    Prng prng(7);
    for (int failures = 0; failures < 2000; failures += 37) {
        const auto delay = backoff_delay(BackoffOptions{1s, 30s, 100}, failures, prng);
        CHECK(delay >= 1s);
        CHECK(delay <= 60s);
    }
}

TEST_CASE("the rate limiter lets a burst go and then one call each interval", "[kube][rate]") {
    RateLimiter limiter(10, 2);
    CHECK(limiter.reserve(kStart) == kStart);
    CHECK(limiter.reserve(kStart) == kStart);
    CHECK(limiter.reserve(kStart) == kStart + 100ms);
    CHECK(limiter.reserve(kStart) == kStart + 200ms);
    SECTION("an idle limiter saves up no more than its burst") {
        const auto later = kStart + 1h;
        CHECK(limiter.reserve(later) == later);
        CHECK(limiter.reserve(later) == later);
        CHECK(limiter.reserve(later) > later);
    }
    SECTION("a call that cannot wait so long takes nothing from those that can") {
        for (int i = 0; i < 10; ++i) {
            CHECK_FALSE(limiter.reserve(kStart, 300ms));
        }
        CHECK(limiter.reserve(kStart, 301ms) == kStart + 300ms);
    }
}

TEST_CASE("a negative rate switches the limiter off", "[kube][rate]") {
    RateLimiter limiter(-1, 1);
    for (int i = 0; i < 100; ++i) {
        CHECK(limiter.reserve(kStart) == kStart);
    }
}

}  // namespace sluice::kube
