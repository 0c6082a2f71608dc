#pragma once

#include "apiserver/write_operation.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <boost/asio/awaitable.hpp>

namespace sluice::apiserver {

/// Calls an admission webhook over HTTPS, by the url and caBundle of its clientConfig.
/// Errors: Invalid for one without url; those of the call.
boost::asio::awaitable<Result<json::Value>> call_webhook(WebhookCall call);

}  // namespace sluice::apiserver
