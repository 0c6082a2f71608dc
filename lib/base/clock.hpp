// Wall-clock and monotonic time, and `Clock`, the only source of the present time.
#pragma once

#include <chrono>

namespace sluice {

/// Wall-clock time in UTC. Kubernetes stores whole seconds (metav1.Time) or microseconds
/// (MicroTime).
using Time = std::chrono::sys_time<std::chrono::nanoseconds>;
using Duration = std::chrono::nanoseconds;

/// A point of the monotonic clock, which nobody can set. For delays, deadlines and queues, which
/// must stay correct when the wall clock is set. Its value has no meaning to another process.
using Instant = std::chrono::steady_clock::time_point;

/// The only source of the present time. It is injected, so that tests can use a manual clock.
/// Thread: any.
class Clock {
  public:
    Clock() = default;
    Clock(const Clock&) = delete;
    Clock& operator=(const Clock&) = delete;
    virtual ~Clock() = default;
    /// The present wall-clock time, for times that the API shows. Can jump forward or back when the
    /// clock is set.
    virtual Time now() const = 0;
    /// The present time of the monotonic clock, for everything that waits.
    virtual Instant instant() const = 0;
};

/// Reads the machine's clocks.
class SystemClock final : public Clock {
  public:
    Time now() const override { return std::chrono::system_clock::now(); }
    Instant instant() const override { return std::chrono::steady_clock::now(); }
};

}  // namespace sluice
