// Detects a blocked main loop, for the probes and the lease.
#pragma once

#include "base/clock.hpp"

#include <boost/asio/awaitable.hpp>

#include <atomic>
#include <chrono>

namespace sluice::controller {

/// Shows other threads that the main loop runs. A long cycle or a large list may block the loop for
/// many seconds. If the loop is blocked for longer than the limit, the replica decides nothing: it
/// must not keep the lease and must fail its probes.
class Heartbeat {
  public:
    static constexpr Duration kStallMax = std::chrono::minutes(1);

    /// Starts with a beat. Lifetime: the clock must outlive this object.
    explicit Heartbeat(const Clock& clock, Duration stall_max = kStallMax);

    /// Beats until cancelled. Thread: the main loop's.
    boost::asio::awaitable<void> keep();
    void beat() { last_ = clock_.instant().time_since_epoch().count(); }

    /// Returns the time since the last beat. Thread: any.
    Duration age() const;
    /// Returns false if the loop has not turned for longer than the limit. Thread: any.
    bool is_regular() const { return age() <= stall_max_; }

  private:
    const Clock& clock_;
    Duration stall_max_;
    std::atomic<Instant::rep> last_ = 0;
};

}  // namespace sluice::controller
