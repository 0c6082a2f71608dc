#include "net/loop/worker_threads.hpp"

#include "net/loop/event_loop.hpp"
#include "net/loop/task_group.hpp"
#include "support/run_async.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace sluice::net {
namespace {

using namespace std::chrono_literals;
using test::run_async;

boost::asio::awaitable<void> note(
    WorkerThreads* workers, WorkerThreads::Work work, std::vector<bool>* ends
) {
    const auto is_done = co_await workers->run(std::move(work));
    ends->push_back(is_done);
}

void until_stopped(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
        std::this_thread::yield();
    }
}

}  // namespace

TEST_CASE("work is done on another thread while the loop goes on", "[net][workers]") {
    EventLoop loop;
    WorkerThreads workers("test", 1);
    TaskGroup tasks(loop.executor(), "test");
    std::promise<void> release;
    std::thread::id ran_on;
    std::vector<bool> ends;
    const WorkerThreads::Work work = [&](const std::stop_token&) {
        ran_on = std::this_thread::get_id();
        release.get_future().wait();
    };
    tasks.spawn(note(&workers, work, &ends));
    run_async(loop, pause_for(5ms));
    CHECK(ends.empty());
    release.set_value();
    CHECK(run_async(loop, tasks.wait()));
    CHECK(ends == std::vector{true});
    CHECK(ran_on != std::this_thread::get_id());
}

TEST_CASE("work beyond the number of threads waits for its turn", "[net][workers]") {
    EventLoop loop;
    WorkerThreads workers("test", 2);
    TaskGroup tasks(loop.executor(), "test");
    std::atomic<int> running = 0;
    std::atomic<int> most = 0;
    std::vector<bool> ends;
    const WorkerThreads::Work work = [&](const std::stop_token&) {
        const int now = ++running;
        most = std::max<int>(most, now);
        std::this_thread::yield();
        --running;
    };
    for (int i = 0; i < 200; ++i) {
        tasks.spawn(note(&workers, work, &ends));
    }
    CHECK(run_async(loop, tasks.wait()));
    CHECK(ends == std::vector<bool>(200, true));
    CHECK(most <= 2);
}

TEST_CASE("cancelled work is asked to stop, and never begins if it waits", "[net][workers]") {
    EventLoop loop;
    WorkerThreads workers("test", 1);
    TaskGroup running(loop.executor(), "running");
    TaskGroup waiting(loop.executor(), "waiting");
    std::promise<void> begun;
    std::atomic<bool> has_second_begun = false;
    std::vector<bool> ends;
    const WorkerThreads::Work first = [&](const std::stop_token& stop) {
        begun.set_value();
        until_stopped(stop);
    };
    auto owned = std::make_shared<int>(0);
    const std::weak_ptr<int> what_second_owns = owned;
    WorkerThreads::Work second = [&, owned = std::move(owned)](const std::stop_token&) {
        has_second_begun = *owned == 0;
    };
    running.spawn(note(&workers, first, &ends));
    run_async(loop, pause_for(1ms));
    begun.get_future().wait();
    waiting.spawn(note(&workers, std::move(second), &ends));
    // The waiting one first: the thread would take it as soon as the running one ends.
    run_async(loop, waiting.stop(0s));
    CHECK(ends == std::vector<bool>{false});
    CHECK(what_second_owns.expired());
    run_async(loop, running.stop(0s));
    CHECK(ends == std::vector<bool>{false, true});
    CHECK_FALSE(has_second_begun);
}

TEST_CASE("workers that end stop what they do", "[net][workers]") {
    EventLoop loop;
    TaskGroup tasks(loop.executor(), "test");
    std::atomic<bool> is_stopped = false;
    std::promise<void> begun;
    std::vector<bool> ends;
    {
        WorkerThreads workers("test", 1);
        const WorkerThreads::Work work = [&](const std::stop_token& stop) {
            begun.set_value();
            until_stopped(stop);
            is_stopped = true;
        };
        tasks.spawn(note(&workers, work, &ends));
        run_async(loop, pause_for(1ms));
        begun.get_future().wait();
    }
    CHECK(is_stopped);
    CHECK(run_async(loop, tasks.wait()));
    CHECK(ends == std::vector{true});
}

}  // namespace sluice::net
