#pragma once

#include "apiserver/operations/operation.hpp"
#include "apiserver/state/conversions.hpp"
#include "apiserver/state/state.hpp"
#include "apiserver/state/store.hpp"
#include "apiserver/types/request.hpp"
#include "base/clock.hpp"

#include <optional>

namespace sluice::apiserver {

/// A GET or DELETE, also of objects that a webhook converts. Lifetime: the state must outlive it.
class ReadOperation final : public Operation {
  public:
    ReadOperation(State& state, Request request, Route route);

    std::optional<WebhookCall> advance(Time now) override;
    void take_answer(const Result<json::Value>& review) override;
    Response& response() override { return response_; }

  private:
    /// Has a list that is read again be what it is now.
    void pin_list();
    Response read(Time now);

    State& state_;
    Request request_;
    Route route_;
    Conversions conversions_;
    Snapshot object_;  ///< that is read by its name, as it was at first; null: there is none
    int passes_ = 0;
    std::optional<Time> begun_;  ///< when it first waited
    Response response_;
    bool is_done_ = false;
};

}  // namespace sluice::apiserver
