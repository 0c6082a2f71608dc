// Runs the calls of a command to an API server, one after the other.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "kube/client/client.hpp"
#include "kube/client/client_config.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <utility>

namespace sluice::commands {

/// Runs `calls` with a client of that server, and returns when it is done. Errors: those of making
/// the client.
Result<void> with_client(
    const kube::ClientConfig& config,
    const std::function<boost::asio::awaitable<void>(kube::Client*)>& calls
);

/// Returns after that time.
void wait_for(Duration time);

/// Awaits a call and stores what it returns.
template <class T>
boost::asio::awaitable<void> store_result(T* result, boost::asio::awaitable<T> call) {
    *result = co_await std::move(call);
}

}  // namespace sluice::commands
