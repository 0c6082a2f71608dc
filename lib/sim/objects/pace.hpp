// How long pods run, and how fast simulated time passes for them.
#pragma once

#include "base/clock.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace sluice::sim {

/// Longer than any cluster exists. Longer durations are cut to this one.
inline constexpr Duration kLongest = std::chrono::hours(24 * 365 * 100);

/// Run time of pods that do not end: longer than anybody observes them.
inline constexpr Duration kForever = std::chrono::hours(24 * 365 * 50);

/// Returns a number of seconds, limited to kLongest in both directions.
constexpr Duration to_duration(std::int64_t seconds) {
    constexpr std::int64_t kMost =
        std::chrono::duration_cast<std::chrono::seconds>(kLongest).count();
    return std::chrono::seconds(std::clamp(seconds, -kMost, kMost));
}

/// Returns a time moved by a duration, limited to the representable range.
constexpr Time later(Time time, Duration by) {
    if (by >= Duration::zero()) {
        return time > Time::max() - by ? Time::max() : time + by;
    }
    return time < Time::min() - by ? Time::min() : time + by;
}

/// The speed of simulated processes. Times that are recorded are times of the clock.
struct Pace {
    /// Run time of pods that do not specify it. kForever: only annotations specify it.
    Duration run_time = std::chrono::seconds(30);
    double speed = 1;  ///< factor by which specified durations are shortened. Requires: above 0

    /// Returns how long a specified duration takes by the clock; at most kLongest.
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
