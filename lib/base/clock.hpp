#pragma once

#include <chrono>

namespace sluice {

/// Wall-clock time in UTC. Kubernetes stores whole seconds (metav1.Time) or microseconds
/// (MicroTime).
using Time = std::chrono::sys_time<std::chrono::nanoseconds>;
using Duration = std::chrono::nanoseconds;

/// The present of a clock that is never set back, for deadlines that must hold whatever becomes of
/// the wall clock.
inline std::chrono::steady_clock::time_point monotonic_now() {
    return std::chrono::steady_clock::now();
}

/// The only source of the present; injected, so that tests run on a manual clock.
class Clock {
  public:
    Clock() = default;
    Clock(const Clock&) = delete;
    Clock& operator=(const Clock&) = delete;
    virtual ~Clock() = default;
    /// The present wall-clock time.
    virtual Time now() const = 0;
};

/// The machine's clock.
class SystemClock final : public Clock {
  public:
    Time now() const override { return std::chrono::system_clock::now(); }
};

}  // namespace sluice
