#include "controller/process/webhooks/loop_calls.hpp"

#include <chrono>

namespace sluice::controller {

namespace {

constexpr Duration kPoll = std::chrono::milliseconds(20);
/// The API server waits ten seconds for a webhook.
constexpr Duration kSyncMax = std::chrono::seconds(8);

Error unavailable(const char* why) {
    return Error{ErrorCode::Unavailable, why, {}};
}

}  // namespace

Error LoopCalls::closed() {
    return unavailable("the controller is shutting down");
}

boost::asio::awaitable<Result<void>> LoopCalls::wait_until_ready() {
    for (Duration waited{}; !parts_.is_synced(); waited += kPoll) {
        const bool goes_on = co_await net::pause_for(kPoll);
        if (!goes_on || !is_open_ || waited >= kSyncMax) {
            co_return unavailable("the controller has not seen all objects yet");
        }
    }
    co_return Result<void>();
}

boost::asio::awaitable<void> LoopCalls::close(Duration grace) {
    is_open_ = false;
    for (Duration waited{}; at_work_ > 0 && waited < grace; waited += kPoll) {
        const bool goes_on = co_await net::pause_for(kPoll);
        if (!goes_on) {
            co_return;
        }
    }
}

}  // namespace sluice::controller
