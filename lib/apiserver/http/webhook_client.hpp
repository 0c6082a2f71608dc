// Calls webhooks over HTTPS.
#pragma once

#include "apiserver/state/webhook_call.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <boost/asio/awaitable.hpp>

namespace sluice::apiserver {

/// Calls a webhook over HTTPS. Errors: Invalid, which names the call, if the webhook has no
/// address; errors of the call.
boost::asio::awaitable<Result<json::Value>> call_webhook(WebhookCall call);

}  // namespace sluice::apiserver
