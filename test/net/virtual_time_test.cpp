#include "net/loop/virtual_time.hpp"

#include "net/loop/event_loop.hpp"
#include "net/loop/task_group.hpp"
#include "net/loop/with_timeout.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace sluice::net {
namespace {

using namespace std::chrono_literals;

constexpr Time kStart{std::chrono::hours(24 * 365 * 60)};

boost::asio::awaitable<void> record_after(
    Duration wait, std::string name, std::vector<std::string>* told
) {
    const bool waited = co_await pause_for(wait);
    told->push_back(waited ? name : name + " cancelled");
}

boost::asio::awaitable<Result<int>> take(Duration wait) {
    const bool waited = co_await pause_for(wait);
    co_return waited ? Result<int>(1) : Result<int>(Error{ErrorCode::Canceled, "canceled", {}});
}

boost::asio::awaitable<void> take_within(Duration wait, Duration limit, std::string* outcome) {
    const auto taken = co_await with_timeout(take(wait), limit);
    *outcome = taken ? "taken" : std::string(to_string(taken.error().code));
}

boost::asio::awaitable<void> wait_for_notice(Notifier* notifier, Duration limit, int* noticed) {
    *noticed = co_await notifier->wait(limit) ? 1 : 0;
}

void run(EventLoop& loop) {
    while (loop.run_ready()) {
    }
}

}  // namespace

TEST_CASE("waits end in the order of their moments, days pass at once", "[net][time]") {
    VirtualTime time(kStart);
    EventLoop loop;
    TaskGroup tasks(loop.executor(), "test");
    std::vector<std::string> told;
    tasks.spawn(record_after(48h, "two days", &told));
    tasks.spawn(record_after(1s, "a second", &told));
    tasks.spawn(record_after(1s, "another", &told));
    run(loop);
    CHECK(told.empty());
    CHECK(time.next() == kStart + 1s);
    time.move(kStart + 72h);
    run(loop);
    CHECK(told == std::vector<std::string>{"a second", "another"});
    CHECK(time.now() == kStart + 1s);
    time.move(kStart + 72h);
    run(loop);
    CHECK(told.back() == "two days");
    CHECK(time.now() == kStart + 48h);
    CHECK_FALSE(time.next());
    time.move(kStart + 72h);
    CHECK(time.now() == kStart + 72h);
}

TEST_CASE("time stands still while nothing moves it, and stops at the limit", "[net][time]") {
    VirtualTime time(kStart);
    EventLoop loop;
    TaskGroup tasks(loop.executor(), "test");
    std::vector<std::string> told;
    tasks.spawn(record_after(1h, "late", &told));
    run(loop);
    time.move(kStart + 30min);
    run(loop);
    CHECK(told.empty());
    CHECK(time.now() == kStart + 30min);
    tasks.cancel();
    run(loop);
    CHECK(told == std::vector<std::string>{"late cancelled"});
    CHECK_FALSE(time.next());
}

TEST_CASE("timeouts and notices are of virtual time", "[net][time]") {
    VirtualTime time(kStart);
    EventLoop loop;
    TaskGroup tasks(loop.executor(), "test");
    Notifier notifier(loop.executor());
    std::string quick;
    std::string slow;
    int noticed = -1;
    tasks.spawn(take_within(1s, 1min, &quick));
    tasks.spawn(take_within(1h, 1min, &slow));
    tasks.spawn(wait_for_notice(&notifier, 1h, &noticed));
    for (run(loop); time.now() < kStart + 2min; run(loop)) {
        time.move(kStart + 2min);
    }
    CHECK(quick == "taken");
    CHECK(slow == "Timeout");
    CHECK(noticed == -1);
    notifier.notify();
    run(loop);
    CHECK(noticed == 1);
    CHECK_FALSE(time.next());
}

TEST_CASE("a wait of no time ends when time is moved, not before", "[net][time]") {
    VirtualTime time(kStart);
    EventLoop loop;
    TaskGroup tasks(loop.executor(), "test");
    std::vector<std::string> told;
    tasks.spawn(record_after(0s, "now", &told));
    run(loop);
    CHECK(told.empty());
    time.move(kStart + 1h);
    run(loop);
    CHECK(told == std::vector<std::string>{"now"});
    CHECK(time.now() == kStart);
}

}  // namespace sluice::net
