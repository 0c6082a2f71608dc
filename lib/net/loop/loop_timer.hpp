// A timer for one coroutine, by real time or by the thread's virtual time.
#pragma once

#include "base/clock.hpp"
#include "net/loop/virtual_time.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <optional>

namespace sluice::net {

/// A timer for one waiting coroutine, by the machine's monotonic clock or by the thread's
/// VirtualTime, which must outlive it. Thread: the executor's.
class LoopTimer {
  public:
    explicit LoopTimer(const boost::asio::any_io_executor& executor) : timer_(executor) {}
    ~LoopTimer();
    LoopTimer(const LoopTimer&) = delete;
    LoopTimer& operator=(const LoopTimer&) = delete;

    /// Sets the time to wait; with nullopt, only cancel() ends the wait. Requires: no coroutine
    /// waits.
    void set(std::optional<Duration> wait);
    /// Waits. Returns false if cancelled. Requires: set() was called since the last wait.
    boost::asio::awaitable<bool> wait();
    /// Ends the wait.
    void cancel();

  private:
    void drop();

    boost::asio::steady_timer timer_;
    VirtualTime* virtual_ = nullptr;
    std::optional<VirtualTime::Ticket> ticket_;
    bool is_due_ = false;
};

}  // namespace sluice::net
