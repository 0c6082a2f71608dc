// A deletion that admission webhooks and policies must allow first.
#pragma once

#include "apiserver/operations/operation.hpp"
#include "apiserver/operations/read_operation.hpp"
#include "apiserver/operations/write_operation.hpp"
#include "apiserver/state/state.hpp"
#include "apiserver/types/request.hpp"
#include "base/clock.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace sluice::apiserver {

/// A DELETE that webhooks and policies must allow for each object before anything is deleted. If
/// they deny one object of a collection, no object is deleted; a real API server may have deleted
/// some by then. Lifetime: the state must outlive it.
class DeleteOperation final : public Operation {
  public:
    DeleteOperation(State& state, Request request, Route route);

    /// Returns true if the state has webhooks or policies that may have to be asked.
    static bool is_needed(const State& state);

    std::optional<WebhookCall> advance(Time now) override;
    void take_answer(const Result<json::Value>& review) override;
    Response& response() override { return response_; }

  private:
    /// Finds the objects to delete. Errors: the request is malformed.
    Result<void> find_targets();
    std::optional<WebhookCall> admit(Time now);

    State& state_;
    Request request_;
    Route route_;
    bool has_targets_ = false;  ///< find_targets() was called
    std::vector<ObjectName> targets_;
    std::size_t next_ = 0;
    std::optional<WriteOperation> admission_;  ///< of the target before `next_`
    std::optional<ReadOperation> deletion_;
    std::vector<std::string> warnings_;
    Response response_;
    bool is_done_ = false;
};

}  // namespace sluice::apiserver
