#pragma once

#include "base/clock.hpp"

#include <atomic>

namespace sluice::kube {

/// Until when this process may act as the leader: set by what holds the lease, asked by every
/// sender before it sends. It runs out by itself, on the monotonic clock, so a process that was
/// stopped for a while finds it over before it has heard of anything. Thread: any.
class LeaseTerm {
  public:
    void extend_to(Instant until) { until_.store(until, std::memory_order_release); }
    void end() { extend_to(Instant::min()); }
    bool is_running(Instant now) const { return now < until_.load(std::memory_order_acquire); }

  private:
    std::atomic<Instant> until_{Instant::min()};
    static_assert(std::atomic<Instant>::is_always_lock_free);
};

}  // namespace sluice::kube
