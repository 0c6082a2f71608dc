// Runs a coroutine on another loop and returns its result.
#pragma once

#include "net/loop/event_loop.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cstdlib>
#include <optional>
#include <utility>

namespace sluice::net {

/// Wraps a coroutine for another loop, in a coroutine that sees cancellation as a result.
template <class T>
boost::asio::awaitable<std::optional<T>> as_guest(boost::asio::awaitable<T> work) {
    co_await boost::asio::this_coro::throw_if_cancelled(false);
    auto result = co_await std::move(work);
    co_return std::optional<T>(std::move(result));
}

/// Runs the coroutine on the other loop's thread, and continues here with its result when it has
/// ended. Cancellation: passed on to the coroutine, whose result is then returned. Lifetime: the
/// other loop must run until then.
template <class T>
boost::asio::awaitable<T> on_loop(EventLoop* other, boost::asio::awaitable<T> work) {
    co_await boost::asio::this_coro::throw_if_cancelled(false);
    std::optional<T> result = co_await boost::asio::co_spawn(
        other->executor(), as_guest(std::move(work)), boost::asio::use_awaitable
    );
    if (!result) {
        std::abort();  // as_guest() always has one
    }
    co_return std::move(*result);
}

}  // namespace sluice::net
