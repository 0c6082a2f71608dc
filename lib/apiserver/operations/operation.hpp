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

/// A request on its way to its answer, in steps, so that webhooks are called outside.
class Operation {
  public:
    Operation() = default;
    virtual ~Operation() = default;
    Operation(const Operation&) = delete;
    Operation& operator=(const Operation&) = delete;

    /// Goes on to the next call of a webhook; nothing: it is done. `now`: the time of the request.
    virtual std::optional<WebhookCall> advance(Time now) = 0;
    /// The answer to the last call: a review, or why there is none.
    virtual void take_answer(const Result<json::Value>& review) = 0;
    /// Requires: advance() has returned nothing.
    virtual Response& response() = 0;
};

/// An answer, or what waits for webhooks: its caller calls them (advance, take_answer)
/// and takes its response.
using Answer = std::variant<Response, std::unique_ptr<Operation>>;

}  // namespace sluice::apiserver
