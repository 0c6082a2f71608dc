// The time until which this process may act as the leader, shared by all threads.
#pragma once

#include "base/clock.hpp"

#include <atomic>

namespace sluice::kube {

/// The time until which this process may act as the leader. The holder of the lease sets it; every
/// sender checks it before it sends. The term ends on the monotonic clock without further action,
/// so a process that was suspended for a while finds that it is over. Thread: any.
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
