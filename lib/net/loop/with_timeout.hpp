// Runs an operation with a time limit.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "net/loop/loop_timer.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <array>
#include <exception>
#include <optional>
#include <utility>

namespace sluice::net {

/// Runs an operation in a separate coroutine that sees cancellation as a result, not as an
/// exception.
template <class T>
boost::asio::awaitable<std::optional<Result<T>>> without_throwing(
    boost::asio::awaitable<Result<T>> operation
) {
    co_await boost::asio::this_coro::throw_if_cancelled(false);
    auto result = co_await std::move(operation);
    co_return std::optional<Result<T>>(std::move(result));
}

/// Runs an operation with a time limit. If the time is over first, the operation is cancelled and
/// waited for. A failed operation is reported at once. Errors: Timeout if the time was over; those
/// of the operation. Cancellation: passed on to the operation, whose result is then returned.
template <class T>
boost::asio::awaitable<Result<T>> with_timeout(
    boost::asio::awaitable<Result<T>> operation, Duration limit
) {
    co_await boost::asio::this_coro::throw_if_cancelled(false);
    const auto cancellation = co_await boost::asio::this_coro::cancellation_state;
    if (cancellation.cancelled() != boost::asio::cancellation_type::none) {
        co_return Error{ErrorCode::Canceled, "canceled", {}};
    }
    const auto executor = co_await boost::asio::this_coro::executor;
    LoopTimer timer(executor);
    timer.set(limit);
    auto group = boost::asio::experimental::make_parallel_group(
        boost::asio::co_spawn(
            executor, without_throwing(std::move(operation)), boost::asio::deferred
        ),
        boost::asio::co_spawn(executor, timer.wait(), boost::asio::deferred)
    );
    auto [order, failure, result, timer_failure, is_late] = co_await group.async_wait(
        boost::asio::experimental::wait_for_one(), boost::asio::use_awaitable
    );
    if (failure) {
        std::rethrow_exception(failure);
    }
    if (timer_failure) {
        std::rethrow_exception(timer_failure);
    }
    if (order[0] == 1 && is_late) {
        co_return Error{ErrorCode::Timeout, "not finished in time", {}};
    }
    if (!result) {  // only after an exception, which was rethrown above
        co_return Error{ErrorCode::Canceled, "canceled", {}};
    }
    co_return std::move(*result);
}

}  // namespace sluice::net
