// Calls from server threads into the loop of the stores.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "net/loop/event_loop.hpp"
#include "net/loop/on_loop.hpp"

#include <boost/asio/awaitable.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <utility>

namespace sluice::controller {

/// Runs work of a server thread on the loop of the stores, once they are filled. A write may refer
/// to an object that was created a moment ago, before the watch shows it: work that ends as
/// Unavailable is repeated for at most a second.
class LoopCalls {
  public:
    struct Parts {
        net::EventLoop& loop;  ///< that of the stores
        /// Returns true if the stores are filled. Thread: the loop's.
        std::function<bool()> is_synced;
    };
    explicit LoopCalls(Parts parts) : parts_(std::move(parts)) {}

    /// Runs the work on the loop. Errors: those of the work; Unavailable if the stores are not
    /// filled within some seconds, and after close(). Lifetime: this object must outlive the call.
    template <class T>
    boost::asio::awaitable<Result<T>> call(std::function<Result<T>()> work) {
        // Counted before is_open_ is checked: close() does both in the opposite order.
        const Counted counted(&at_work_);
        if (!is_open_) {
            co_return closed();
        }
        auto there = call_there<T>(std::move(work));
        auto result = co_await net::on_loop(&parts_.loop, std::move(there));
        co_return result;
    }

    /// Rejects new calls, and waits for running ones, for at most `grace`. Thread: the loop's.
    boost::asio::awaitable<void> close(Duration grace);

  private:
    /// Counts a running call, also if it ends by an exception.
    class Counted {
      public:
        explicit Counted(std::atomic<std::size_t>* calls) : calls_(calls) { ++*calls_; }
        ~Counted() { --*calls_; }
        Counted(const Counted&) = delete;
        Counted& operator=(const Counted&) = delete;

      private:
        std::atomic<std::size_t>* calls_;
    };

    template <class T>
    boost::asio::awaitable<Result<T>> call_there(std::function<Result<T>()> work) {
        const auto ready = co_await wait_until_ready();
        if (!ready) {
            co_return ready.error();
        }
        Result<T> result = work();
        for (Duration waited{}; waited < kSightMax && is_unseen(result); waited += kSightPoll) {
            const bool goes_on = co_await net::pause_for(kSightPoll);
            if (!goes_on || !is_open_) {
                break;
            }
            result = work();
        }
        co_return result;
    }
    template <class T>
    static bool is_unseen(const Result<T>& result) {
        return !result && result.error().code == ErrorCode::Unavailable;
    }
    boost::asio::awaitable<Result<void>> wait_until_ready();
    static Error closed();

    static constexpr Duration kSightPoll = std::chrono::milliseconds(50);
    static constexpr Duration kSightMax = std::chrono::seconds(1);

    Parts parts_;
    std::atomic<bool> is_open_ = true;
    std::atomic<std::size_t> at_work_ = 0;
};

}  // namespace sluice::controller
