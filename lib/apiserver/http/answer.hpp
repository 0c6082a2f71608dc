// Answers a request and calls its webhooks.
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

/// Calls a webhook. Errors: the call failed. If the function is empty, all calls fail.
using WebhookTransport = std::function<boost::asio::awaitable<Result<json::Value>>(WebhookCall)>;

/// Returns the server's answer to a request, after it has called the webhooks that the answer waits
/// for. Lifetime: the arguments must outlive the call. Thread: the server's.
boost::asio::awaitable<Response> answer(
    ApiServer* server, const Clock* clock, Request request, const WebhookTransport* transport
);

/// Returns the available lines of a watch, after it has called the webhooks that they wait for;
/// empty if it has no lines yet. Lifetime: the transport must outlive the call. Thread: the
/// server's.
boost::asio::awaitable<std::string> read_watch(
    std::shared_ptr<Watch> watch, const WebhookTransport* transport
);

}  // namespace sluice::apiserver
