// A GET or DELETE of objects that a webhook may have to convert.
#pragma once

#include "apiserver/operations/operation.hpp"
#include "apiserver/state/conversions.hpp"
#include "apiserver/state/state.hpp"
#include "apiserver/state/store.hpp"
#include "apiserver/types/request.hpp"
#include "base/clock.hpp"

#include <optional>

namespace sluice::apiserver {

/// A GET or DELETE whose objects a webhook may have to convert. Lifetime: the state must outlive
/// it.
class ReadOperation final : public Operation {
  public:
    ReadOperation(State& state, Request request, Route route);

    std::optional<WebhookCall> advance(Time now) override;
    void take_answer(const Result<json::Value>& review) override;
    Response& response() override { return response_; }

  private:
    /// Makes later passes of a list read the current version of the store again.
    void pin_list();
    Response read(Time now);

    State& state_;
    Request request_;
    Route route_;
    Conversions conversions_;
    /// The object of a GET by name, as the first pass read it; nullptr if it does not exist.
    Snapshot object_;
    int passes_ = 0;
    std::optional<Time> begun_;  ///< when it first waited for a webhook
    Response response_;
    bool is_done_ = false;
};

}  // namespace sluice::apiserver
