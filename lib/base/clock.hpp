#pragma once

#include <chrono>

namespace sluice {

/// Wall-clock time in UTC. Kubernetes stores whole seconds (metav1.Time) or microseconds
/// (MicroTime).
using Time = std::chrono::sys_time<std::chrono::nanoseconds>;
using Duration = std::chrono::nanoseconds;

/// A point of the monotonic clock, which is never set: for delays, deadlines and queues, which must
/// hold whatever becomes of the wall clock. It means nothing to another process.
using Instant = std::chrono::steady_clock::time_point;

/// The only source of the present; injected, so that tests run on a manual clock. Thread: any.
class Clock {
  public:
    Clock() = default;
    Clock(const Clock&) = delete;
    Clock& operator=(const Clock&) = delete;
    virtual ~Clock() = default;
    /// The present wall-clock time, for what the API shows; it may be set back and forth.
    virtual Time now() const = 0;
    /// The present of the monotonic clock, for everything that waits.
    virtual Instant instant() const = 0;
};

/// The machine's clocks.
class SystemClock final : public Clock {
  public:
    Time now() const override { return std::chrono::system_clock::now(); }
    Instant instant() const override { return std::chrono::steady_clock::now(); }
};

}  // namespace sluice
