#pragma once

#include "base/clock.hpp"

#include <boost/asio/awaitable.hpp>

#include <atomic>
#include <chrono>

namespace sluice::controller {

/// Shows other threads that the main loop turns. A long cycle or a large list may hold the loop up
/// for many seconds; a loop that stands still for longer decides nothing any more, and its replica
/// must neither keep the lease nor pass its probes.
class Heartbeat {
  public:
    static constexpr Duration kStallMax = std::chrono::minutes(1);

    /// Lifetime: the clock must outlive it.
    explicit Heartbeat(const Clock& clock, Duration stall_max = kStallMax);

    /// Beats until cancelled. Thread: that of the main loop.
    boost::asio::awaitable<void> keep();
    void beat() { last_ = clock_.instant().time_since_epoch().count(); }

    /// How long ago the loop turned last. Thread: any.
    Duration age() const;
    /// Returns false if the loop has not turned for longer than the limit. Thread: any.
    bool is_regular() const { return age() <= stall_max_; }

  private:
    const Clock& clock_;
    Duration stall_max_;
    std::atomic<Instant::rep> last_ = 0;
};

}  // namespace sluice::controller
