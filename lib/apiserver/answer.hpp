#pragma once

#include "apiserver/api_server.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>

namespace sluice::apiserver {

/// Calls an admission webhook. Errors: why there is no AdmissionReview.
using WebhookTransport = std::function<boost::asio::awaitable<Result<json::Value>>(WebhookCall)>;

/// The server's answer to a request, the webhooks called that it waits for. Lifetime: the arguments
/// must outlive the call. Thread: the server's.
boost::asio::awaitable<Response> answer(
    ApiServer* server, const Clock* clock, Request request, const WebhookTransport* transport
);

}  // namespace sluice::apiserver
