#pragma once

#include "base/clock.hpp"

#include <chrono>
#include <optional>

namespace sluice {

/// When the wall clock will show `at` if it is not set meanwhile; a time that has passed is at
/// once. `wall` and `now` are the present.
inline Instant to_instant(Time at, Time wall, Instant now) {
    return at > wall ? now + (at - wall) : now;
}

/// Notices that the wall clock was set: it went otherwise than the monotonic one. A part that
/// waits for a wall time asks at least every kClockCheck whether it was.
class ClockSteps {
  public:
    /// How far the wall clock was set forward (negative: back) since this was last asked; 0: by too
    /// little to matter. Small differences, as when NTP slows the clock down, are told once they
    /// add up.
    Duration observe(Time wall, Instant now) {
        constexpr Duration kNoticeable = std::chrono::milliseconds(100);
        const Duration ahead = wall.time_since_epoch() - now.time_since_epoch();
        const Duration step = ahead - ahead_.value_or(ahead);
        if (ahead_ && step < kNoticeable && step > -kNoticeable) {
            return Duration::zero();
        }
        ahead_ = ahead;
        return step;
    }

  private:
    std::optional<Duration> ahead_;  ///< of the monotonic clock, when that was last told
};

inline constexpr Duration kClockCheck = std::chrono::minutes(1);

}  // namespace sluice
