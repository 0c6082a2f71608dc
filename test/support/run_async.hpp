#pragma once

#include "net/event_loop.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
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

}  // namespace sluice::test
