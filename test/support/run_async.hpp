#pragma once

#include "net/loop/event_loop.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <optional>
#include <utility>

namespace sluice::test {

template <class T>
boost::asio::awaitable<std::optional<T>> without_throwing(boost::asio::awaitable<T> work) {
    co_await boost::asio::this_coro::throw_if_cancelled(false);
    auto value = co_await std::move(work);
    co_return std::optional<T>(std::move(value));
}

/// Runs a coroutine on the loop, on this thread, and gives its value; whatever else the loop has to
/// do runs meanwhile. Ends the process when it takes longer than a minute.
template <class T>
T run_async(net::EventLoop& loop, boost::asio::awaitable<T> work) {
    std::optional<T> result;
    boost::asio::co_spawn(
        loop.executor(),
        without_throwing(std::move(work)),
        [&](const std::exception_ptr& failure, std::optional<T> value) {
            if (failure) {
                std::rethrow_exception(failure);
            }
            result = std::move(value);
            loop.stop();
        }
    );
    loop.run_until_idle(std::chrono::minutes(1));
    if (!result) {
        std::fputs("run_async: the coroutine did not end\n", stderr);
        std::abort();
    }
    return std::move(*result);
}

inline boost::asio::awaitable<bool> as_bool(boost::asio::awaitable<void> work) {
    co_await std::move(work);
    co_return true;
}

/// The same for a coroutine without a value.
inline void run_async(net::EventLoop& loop, boost::asio::awaitable<void> work) {
    run_async(loop, as_bool(std::move(work)));
}

inline boost::asio::awaitable<bool> comes_true(std::function<bool()> condition) {
    for (int i = 0; i < 30'000; ++i) {
        if (condition()) {
            co_return true;
        }
        co_await net::pause_for(std::chrono::milliseconds(1));
    }
    co_return false;
}

/// Runs the loop until the condition holds; false after half a minute or more, which only a failure
/// takes.
inline bool run_until(net::EventLoop& loop, std::function<bool()> condition) {
    return run_async(loop, comes_true(std::move(condition)));
}

inline boost::asio::awaitable<void> let_others_go_first() {
    for (int i = 0; i < 1000; ++i) {
        co_await boost::asio::post(boost::asio::use_awaitable);
    }
}

/// Runs what the loop can do now, without time going by: of a conversation in memory that is all
/// but what waits for a timer.
inline void run_what_is_ready(net::EventLoop& loop) {
    run_async(loop, let_others_go_first());
}

}  // namespace sluice::test
