#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <coroutine>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sluice::apiserver {

/// A request to a webhook that somebody else sends.
struct WebhookCall {
    std::uint64_t id = 0;
    json::Value client_config;  ///< url or service, and caBundle
    std::string body;           ///< a review, to be posted as JSON
    Duration timeout{};
};

/// Calls of webhooks that wait to be sent or answered, and the flows that wait for them.
class Outbox {
  public:
    class Answer {
      public:
        Answer(Outbox& outbox, WebhookCall call) : outbox_(outbox), call_(std::move(call)) {}
        Answer(const Answer&) = delete;
        Answer& operator=(const Answer&) = delete;
        /// A flow that is given up waits no longer.
        ~Answer() { outbox_.waiting_.erase(id_); }
        bool await_ready() noexcept { return false; }
        void await_suspend(std::coroutine_handle<> waiting);
        Result<std::string> await_resume() { return std::move(*result_); }

      private:
        friend class Outbox;
        Outbox& outbox_;
        WebhookCall call_;
        std::uint64_t id_ = 0;
        std::coroutine_handle<> waiting_;
        std::optional<Result<std::string>> result_;
    };

    /// Awaited, it gives the body of the webhook's answer (200), or why there is none.
    Answer call(WebhookCall call) { return Answer(*this, std::move(call)); }
    /// The calls that came since this was last asked.
    std::vector<WebhookCall> take() { return std::exchange(calls_, {}); }
    bool has_calls() const { return !calls_.empty(); }
    /// Hands the answer to the flow that waits for it, which runs on in this call. An id that is
    /// not known is no fault: the call was answered before.
    void answer(std::uint64_t id, Result<std::string> result);

  private:
    std::uint64_t next_id_ = 1;
    std::vector<WebhookCall> calls_;
    std::map<std::uint64_t, Answer*> waiting_;
};

}  // namespace sluice::apiserver
