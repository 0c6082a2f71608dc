#include "kube/runtime/watcher.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <chrono>
#include <string>

namespace sluice::kube {
namespace {

using namespace std::chrono_literals;
using Action = Watcher::Action;
using Page = Watcher::Page;

constexpr Instant kStart = Instant(1'000'000s);

WatcherOptions options() {
    WatcherOptions out;
    out.backoff = BackoffOptions{1s, 8s, 0};
    return out;
}

Error error_of(ErrorCode code, int retry_after = 0) {
    return Error{code, "test", {}, retry_after};
}

/// A watcher that has listed up to resourceVersion 10 and opened its watch at kStart.
Watcher watching() {
    Watcher watcher(options(), 1);
    watcher.next(kStart);
    watcher.on_page("10", "");
    watcher.next(kStart);
    watcher.on_watch_opened(kStart);
    return watcher;
}

}  // namespace

TEST_CASE(
    "a list is read page by page and swapped in whole, then the watch begins there",
    "[kube][watcher]"
) {
    Watcher watcher(options(), 1);
    auto step = watcher.next(kStart);
    CHECK(step.action == Action::List);
    CHECK(step.page_size == 500);
    CHECK(step.continue_token.empty());
    CHECK(watcher.on_page("10", "t1") == Page::First);
    step = watcher.next(kStart);
    CHECK(step.action == Action::List);
    CHECK(step.continue_token == "t1");
    CHECK(watcher.on_page("10", "t2") == Page::More);
    CHECK(watcher.on_page("10", "") == Page::Last);
    step = watcher.next(kStart);
    CHECK(step.action == Action::Watch);
    CHECK(step.resource_version == "10");
    CHECK(step.watch_length >= 5min);
    CHECK(step.watch_length <= 10min);
    CHECK(step.idle_max == step.watch_length + 30s);
}

TEST_CASE("one page is a whole list", "[kube][watcher]") {
    Watcher watcher(options(), 1);
    CHECK(watcher.on_page("10", "") == Page::FirstAndLast);
}

TEST_CASE("a watch that ends goes on where it stopped", "[kube][watcher]") {
    auto watcher = watching();
    watcher.on_event("11");
    SECTION("in order: at once") {
        watcher.on_watch_ended(std::nullopt, kStart + 1ms);
        const auto step = watcher.next(kStart + 1ms);
        CHECK(step.action == Action::Watch);
        CHECK(step.resource_version == "11");
    }
    SECTION("broken or silent: after a backoff") {
        watcher.on_watch_ended(
            error_of(GENERATE(ErrorCode::Unavailable, ErrorCode::Timeout)), kStart
        );
        auto step = watcher.next(kStart);
        CHECK(step.action == Action::Wait);
        CHECK(step.until == kStart + 1s);
        step = watcher.next(kStart + 1s);
        CHECK(step.action == Action::Watch);
        CHECK(step.resource_version == "11");
    }
    SECTION("a bookmark moves the point without an object") {
        watcher.on_event("500");
        watcher.on_watch_ended(std::nullopt, kStart + 1s);
        CHECK(watcher.next(kStart + 1s).resource_version == "500");
    }
}

TEST_CASE(
    "a forgotten point makes it list anew at once, but not in a hurry twice", "[kube][watcher]"
) {
    auto watcher = watching();
    watcher.on_watch_ended(error_of(ErrorCode::Gone), kStart);
    const auto step = watcher.next(kStart);
    CHECK(step.action == Action::List);
    CHECK(step.continue_token.empty());
    CHECK(watcher.on_page("20", "") == Page::FirstAndLast);
    CHECK(watcher.next(kStart).action == Action::Watch);
    watcher.on_watch_ended(error_of(ErrorCode::Gone), kStart);
    CHECK(watcher.next(kStart).action == Action::Wait);
}

TEST_CASE("what cannot be read or is not there is listed anew after a backoff", "[kube][watcher]") {
    auto watcher = watching();
    watcher.on_watch_ended(error_of(GENERATE(ErrorCode::Invalid, ErrorCode::NotFound)), kStart);
    CHECK(watcher.next(kStart).action == Action::Wait);
    CHECK(watcher.next(kStart + 1s).action == Action::List);
}

TEST_CASE("failures back off up to the limit and an event ends that", "[kube][watcher]") {
    auto watcher = watching();
    Instant now = kStart;
    for (const auto delay : {1s, 2s, 4s, 8s, 8s}) {
        watcher.on_watch_ended(error_of(ErrorCode::Unavailable), now);
        const auto step = watcher.next(now);
        REQUIRE(step.action == Action::Wait);
        CHECK(step.until == now + delay);
        now = step.until;
    }
    CHECK(watcher.failures() == 5);
    watcher.on_event("12");
    watcher.on_watch_ended(error_of(ErrorCode::Unavailable), now);
    CHECK(watcher.next(now).until == now + 1s);
}

TEST_CASE("a server that ends every watch at once is not stormed", "[kube][watcher]") {
    auto watcher = watching();
    watcher.on_watch_ended(std::nullopt, kStart + 1ms);
    CHECK(watcher.next(kStart + 1ms).action == Action::Wait);
    SECTION("one that ends a silent watch after its time is") {
        auto calm = watching();
        calm.on_watch_ended(std::nullopt, kStart + 5min);
        CHECK(calm.next(kStart + 5min).action == Action::Watch);
    }
}

TEST_CASE("a server that asks for patience gets it", "[kube][watcher]") {
    Watcher watcher(options(), 1);
    watcher.on_list_failed(error_of(ErrorCode::TooManyRequests, 17), kStart);
    CHECK(watcher.next(kStart).until == kStart + 17s);
}

TEST_CASE(
    "a list whose pages expire begins anew and is at last asked for in one piece", "[kube][watcher]"
) {
    Watcher watcher(options(), 1);
    Instant now = kStart;
    for (int i = 0; i < 2; ++i) {
        CHECK(watcher.next(now).page_size == 500);
        CHECK(watcher.on_page("10", "t") == Page::First);
        watcher.on_list_failed(error_of(ErrorCode::Gone), now);
        now += 10s;
        CHECK(watcher.next(now).continue_token.empty());
    }
    CHECK(watcher.next(now).page_size == 0);
    CHECK(watcher.on_page("30", "") == Page::FirstAndLast);
    watcher.on_watch_ended(error_of(ErrorCode::Gone), now);
    now += 1h;
    CHECK(watcher.next(now).page_size == 500);
}

TEST_CASE("a page that is too large to be taken is asked for in halves", "[kube][watcher]") {
    Watcher watcher(options(), 1);
    Instant now = kStart;
    const auto fail = [&](const Error& error) {
        watcher.on_list_failed(error, now);
        now += 10s;
        return watcher.next(now);
    };
    const auto too_large = error_of(ErrorCode::Invalid);
    CHECK(watcher.on_page("10", "t1") == Page::First);

    SECTION("from where the list is, down to single objects, then all over") {
        for (const std::int64_t size : {250, 125, 62, 31, 15, 7, 3, 1}) {
            const auto step = fail(too_large);
            CHECK(step.page_size == size);
            CHECK(step.continue_token == "t1");
        }
        const auto step = fail(too_large);
        CHECK(step.page_size == 500);
        CHECK(step.continue_token.empty());
    }
    SECTION("it waits its backoff each time") {
        watcher.on_list_failed(too_large, now);
        CHECK(watcher.next(now).until == now + 1s);
    }
    SECTION("the rest of the list comes in such pages, later lists in larger ones again") {
        fail(too_large);
        CHECK(fail(too_large).page_size == 125);
        CHECK(watcher.on_page("10", "t2") == Page::More);
        CHECK(watcher.next(now).page_size == 125);
        CHECK(watcher.on_page("10", "") == Page::Last);
        for (const std::int64_t size : {250, 500, 500}) {
            watcher.on_watch_ended(error_of(ErrorCode::Gone), now);
            now += 1h;
            CHECK(watcher.next(now).page_size == size);
            CHECK(watcher.on_page("20", "") == Page::FirstAndLast);
        }
    }
    SECTION("other failures, and what the server refuses, begin the list anew") {
        auto refused = error_of(ErrorCode::Invalid);
        refused.status = R"({"reason":"BadRequest"})";
        const auto step = fail(GENERATE_COPY(refused, error_of(ErrorCode::Unavailable)));
        CHECK(step.page_size == 500);
        CHECK(step.continue_token.empty());
    }
}

TEST_CASE("a list in one piece that fails is asked for in pages again", "[kube][watcher]") {
    Watcher watcher(options(), 1);
    Instant now = kStart;
    const auto fail = [&](ErrorCode code) {
        watcher.on_list_failed(error_of(code), now);
        now += 10s;
        return watcher.next(now);
    };
    for (int i = 0; i < 2; ++i) {
        watcher.on_page("10", "t");
        fail(ErrorCode::Gone);
    }
    REQUIRE(watcher.next(now).page_size == 0);
    CHECK(fail(GENERATE(ErrorCode::Invalid, ErrorCode::Timeout)).page_size == 500);
    watcher.on_page("10", "t");
    CHECK(fail(ErrorCode::Gone).page_size == 500);
    watcher.on_page("10", "t");
    CHECK(fail(ErrorCode::Gone).page_size == 0);
}

}  // namespace sluice::kube
