// Notices when the wall clock is set, and converts wall-clock times to instants.
#pragma once

#include "base/clock.hpp"

#include <chrono>
#include <optional>

namespace sluice {

/// Returns the instant at which the wall clock will show `at`, unless the clock is set in between;
/// `now` if `at` has passed. `wall` and `now` are the present time of the two clocks.
inline Instant to_instant(Time at, Time wall, Instant now) {
    return at > wall ? now + (at - wall) : now;
}

/// Notices when the wall clock is set, by comparing it with the monotonic clock. A component that
/// waits for a wall-clock time calls observe() at least every kClockCheck.
class ClockSteps {
  public:
    /// Returns how far the wall clock was set forward (negative: back) since the last call that
    /// returned a change; 0 if by less than 100 ms. Smaller differences, as when NTP slows the
    /// clock down, are returned once they add up to that.
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
    std::optional<Duration> ahead_;  ///< lead over the monotonic clock, when last reported
};

/// The longest time between two calls of ClockSteps::observe().
inline constexpr Duration kClockCheck = std::chrono::minutes(1);

}  // namespace sluice
