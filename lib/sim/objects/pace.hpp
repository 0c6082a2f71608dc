#pragma once

#include "base/clock.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace sluice::sim {

/// Longer than any cluster lives: what is said to take longer takes so long.
inline constexpr Duration kLongest = std::chrono::hours(24 * 365 * 100);

/// Of pods that do not end: longer than anybody looks at them.
inline constexpr Duration kForever = std::chrono::hours(24 * 365 * 50);

/// So many seconds, at most kLongest in either direction.
constexpr Duration to_duration(std::int64_t seconds) {
    constexpr std::int64_t kMost =
        std::chrono::duration_cast<std::chrono::seconds>(kLongest).count();
    return std::chrono::seconds(std::clamp(seconds, -kMost, kMost));
}

/// A time that is so much later, or the last or the first one that there is.
constexpr Time later(Time time, Duration by) {
    if (by >= Duration::zero()) {
        return time > Time::max() - by ? Time::max() : time + by;
    }
    return time < Time::min() - by ? Time::min() : time + by;
}

/// How fast simulated things go. Times that are written down stay those of the clock.
struct Pace {
    /// Of pods that do not say how long; kForever: only annotations say how long.
    Duration run_time = std::chrono::seconds(30);
    double speed = 1;  ///< so many times as fast as they say. Requires: above 0

    /// How long by the clock it takes what is said to take so long; kLongest at most.
    Duration scale(Duration said) const {
        if (speed == 1) {
            return std::clamp(said, -kLongest, kLongest);
        }
        constexpr auto kMost = static_cast<double>(kLongest.count());
        const double scaled = static_cast<double>(said.count()) / speed;
        return Duration(static_cast<std::int64_t>(std::clamp(scaled, -kMost, kMost)));
    }
    Duration scale_seconds(std::int64_t said) const { return scale(to_duration(said)); }
};

}  // namespace sluice::sim
