#include "net/http/next_piece.hpp"

#include "base/deadline.hpp"
#include "net/loop/with_timeout.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <exception>
#include <utility>

namespace sluice::net {
namespace asio = boost::asio;
namespace {

constexpr auto kNever = std::chrono::hours(24 * 365);

asio::awaitable<Result<std::optional<std::string>>> as_result(BodyStream* body) {
    co_await asio::this_coro::throw_if_cancelled(false);
    auto piece = co_await body->next();
    co_return std::move(piece);
}

}  // namespace

asio::awaitable<NextPiece> next_piece(Stream* connection, BodyStream* body) {
    co_await asio::this_coro::throw_if_cancelled(false);
    connection->expires_at(Deadline::after(kNever));
    const auto executor = co_await asio::this_coro::executor;
    auto group = asio::experimental::make_parallel_group(
        asio::co_spawn(executor, without_throwing(as_result(body)), asio::deferred),
        asio::co_spawn(executor, without_throwing(connection->wait_readable()), asio::deferred)
    );
    auto [order, body_failure, piece, client_failure, client] =
        co_await group.async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);
    for (const auto& failure : {body_failure, client_failure}) {
        if (failure) {
            std::rethrow_exception(failure);
        }
    }
    if (order[0] == 1 || !piece || !piece->has_value()) {
        co_return NextPiece{{}, true};
    }
    co_return NextPiece{std::move(**piece), false};
}

}  // namespace sluice::net
