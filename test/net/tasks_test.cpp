#include "net/http/spooled_body.hpp"
#include "net/loop/event_loop.hpp"
#include "net/loop/on_loop.hpp"
#include "net/loop/task_group.hpp"
#include "net/loop/with_timeout.hpp"
#include "net/unnamed_files.hpp"
#include "support/run_async.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <string>
#include <thread>
#include <utility>

namespace sluice::net {
namespace {

using namespace std::chrono_literals;
using test::run_async;

boost::asio::awaitable<Result<int>> finish_after(
    Duration duration, Result<int> result, bool* cancelled
) {
    const auto rested = co_await pause_for(duration);
    *cancelled = !rested;
    co_return rested ? result : Result<int>(Error{ErrorCode::Canceled, "canceled", {}});
}

boost::asio::awaitable<void> timeout_into(
    Duration duration, Duration limit, bool* inner, std::string* outer
) {
    auto work = finish_after(duration, 1, inner);
    const auto result = co_await with_timeout(std::move(work), limit);
    *outer = result ? "value" : std::string(to_string(result.error().code));
}

boost::asio::awaitable<void> wait_long(int* ended) {
    co_await pause_for(1h);
    ++*ended;
}

boost::asio::awaitable<void> wait_shortly(bool* is_done) {
    *is_done = co_await pause_for(20ms);
}

boost::asio::awaitable<void> wait_for_notice(Notifier* notifier, bool* noticed) {
    *noticed = co_await notifier->wait(1h);
}

boost::asio::awaitable<std::thread::id> find_thread() {
    co_await pause_for(1ms);
    co_return std::this_thread::get_id();
}

boost::asio::awaitable<void> rest_on(EventLoop* other, bool* rested) {
    *rested = true;
    *rested = co_await on_loop(other, pause_for(1h));
}

}  // namespace

TEST_CASE("a coroutine of another loop runs on its thread and answers here", "[net][loop]") {
    EventLoop loop;
    LoopThread other("other");
    CHECK(run_async(loop, on_loop(&other.loop(), find_thread())) != std::this_thread::get_id());
}

TEST_CASE("cancellation reaches a coroutine of another loop", "[net][loop]") {
    EventLoop loop;
    LoopThread other("other");
    TaskGroup tasks(loop.executor(), "test");
    bool rested = false;
    tasks.spawn(rest_on(&other.loop(), &rested));
    run_async(loop, pause_for(1ms));
    CHECK(rested);
    run_async(loop, tasks.stop(0s));
    CHECK_FALSE(rested);
}

TEST_CASE("the first to end decides: the result, the failure or the timeout", "[net][timeout]") {
    EventLoop loop;
    bool cancelled = false;
    const auto good = run_async(loop, with_timeout(finish_after(1ms, 7, &cancelled), 10s));
    REQUIRE(good);
    CHECK(*good == 7);
    CHECK_FALSE(cancelled);
    const auto failed =
        run_async(loop, with_timeout(finish_after(0ms, make_invalid("bad"), &cancelled), 10s));
    REQUIRE_FALSE(failed);
    CHECK(failed.error().detail == "bad");
    const auto slow = run_async(loop, with_timeout(finish_after(1h, 7, &cancelled), 20ms));
    REQUIRE_FALSE(slow);
    CHECK(slow.error().code == ErrorCode::Timeout);
    CHECK(cancelled);
}

TEST_CASE("cancellation from outside reaches the operation under a timeout", "[net][timeout]") {
    EventLoop loop;
    TaskGroup tasks(loop.executor(), "test");
    bool inner = false;
    std::string outer;
    tasks.spawn(timeout_into(1h, 2h, &inner, &outer));
    run_async(loop, pause_for(5ms));
    run_async(loop, tasks.stop(0s));
    CHECK(inner);
    CHECK(outer == "Canceled");
}

TEST_CASE("a stopped group cancels its tasks, waits for them and takes no more", "[net][tasks]") {
    EventLoop loop;
    TaskGroup tasks(loop.executor(), "test");
    int ended = 0;
    for (int i = 0; i < 3; ++i) {
        CHECK(tasks.spawn(wait_long(&ended)));
    }
    run_async(loop, pause_for(1ms));
    CHECK(ended == 0);
    run_async(loop, tasks.stop(5ms));
    CHECK(ended == 3);
    CHECK_FALSE(tasks.spawn(wait_long(&ended)));
}

TEST_CASE("a notice wakes the one that waits and is kept for the one that comes", "[net][tasks]") {
    EventLoop loop;
    Notifier notifier(loop.executor());
    notifier.notify();
    notifier.notify();
    CHECK(run_async(loop, notifier.wait(1h)));
    CHECK_FALSE(run_async(loop, notifier.wait(1ms)));
    TaskGroup tasks(loop.executor(), "test");
    bool noticed = false;
    tasks.spawn(wait_for_notice(&notifier, &noticed));
    run_async(loop, pause_for(1ms));
    notifier.notify();
    run_async(loop, tasks.wait());
    CHECK(noticed);
}

TEST_CASE(
    "a stopped group gives its tasks their time, also after it was empty once", "[net][tasks]"
) {
    EventLoop loop;
    TaskGroup tasks(loop.executor(), "test");
    bool noticed = false;
    Notifier notifier(loop.executor());
    notifier.notify();
    tasks.spawn(wait_for_notice(&notifier, &noticed));
    run_async(loop, tasks.wait());
    bool is_done = false;
    tasks.spawn(wait_shortly(&is_done));
    run_async(loop, tasks.stop(10s));
    CHECK(is_done);
}

TEST_CASE("a loop on its own thread does what is posted and ends with its owner", "[net][loop]") {
    LoopThread thread("test");
    int value = 0;
    int ended = 0;
    TaskGroup tasks(thread.loop().executor(), "test");
    thread.loop().post([&] {
        value = 1;
        tasks.spawn(wait_long(&ended));
    });
    run_on(thread.loop(), tasks.stop(0s));
    CHECK(value == 1);
    CHECK(ended == 1);
}

TEST_CASE("a body moves to a file beyond its limit and reads the same", "[net][body]") {
    const std::size_t files = test::unnamed_files();
    SpooledBody body(4);
    REQUIRE(body.append("abc"));
    CHECK(test::unnamed_files() == files);
    REQUIRE(body.append("de"));
    CHECK(test::unnamed_files() == files + 1);
    REQUIRE(body.append("f"));
    CHECK(body.size() == 6);
    SpooledBody moved = std::move(body);
    CHECK(*moved.view() == "abcdef");
    CHECK(SpooledBody().size() == 0);
}

}  // namespace sluice::net
