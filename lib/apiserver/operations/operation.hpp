// A request that is processed in steps, between which its caller calls webhooks.
#pragma once

#include "apiserver/state/webhook_call.hpp"
#include "apiserver/types/request.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <memory>
#include <optional>
#include <variant>

namespace sluice::apiserver {

/// A request that is processed in steps, so that the caller can call webhooks between them.
class Operation {
  public:
    Operation() = default;
    virtual ~Operation() = default;
    Operation(const Operation&) = delete;
    Operation& operator=(const Operation&) = delete;

    /// Continues until the next call of a webhook and returns the call; nullopt if the operation is
    /// done. `now`: the time of the request.
    virtual std::optional<WebhookCall> advance(Time now) = 0;
    /// Takes the answer to the last call: a review, or the error of the call.
    virtual void take_answer(const Result<json::Value>& review) = 0;
    /// Requires: advance() has returned nullopt.
    virtual Response& response() = 0;
};

/// A response, or an operation that waits for webhooks. The caller calls these (advance(),
/// take_answer()) and then takes the response.
using Answer = std::variant<Response, std::unique_ptr<Operation>>;

}  // namespace sluice::apiserver
