#pragma once

#include "apiserver/api_server.hpp"
#include "apiserver/operations/watch.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <memory>
#include <string>

namespace sluice::apiserver {

/// Calls a webhook. Errors: why there is no review. Empty: all calls fail.
using WebhookTransport = std::function<boost::asio::awaitable<Result<json::Value>>(WebhookCall)>;

/// The server's answer to a request, the webhooks called that it waits for. Lifetime: the arguments
/// must outlive the call. Thread: the server's.
boost::asio::awaitable<Response> answer(
    ApiServer* server, const Clock* clock, Request request, const WebhookTransport* transport
);

/// The lines that a watch has, the webhooks called that they wait for; empty: none now. Lifetime:
/// the transport must outlive the call. Thread: the server's.
boost::asio::awaitable<std::string> read_watch(
    std::shared_ptr<Watch> watch, const WebhookTransport* transport
);

}  // namespace sluice::apiserver
