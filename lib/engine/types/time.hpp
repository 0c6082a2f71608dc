// Time and duration types of the engine.
#pragma once

#include <algorithm>
#include <chrono>

namespace sluice::engine {

/// Wall-clock time in UTC. It is the same type as sluice::Time, and is declared here because the
/// engine does not use that header.
using Time = std::chrono::sys_time<std::chrono::nanoseconds>;
using Duration = std::chrono::nanoseconds;

/// Returns the time `by` after `time`; Time::max() if that is out of range. Requires: `by` is not
/// negative.
constexpr Time later(Time time, Duration by) {
    return by > Time::max() - std::max(time, Time()) ? Time::max() : time + by;
}

/// Returns what a clock shows after it was set forward by `by` (negative: back), if it would show
/// `time` otherwise.
constexpr Time shifted(Time time, Duration by) {
    return by > Duration() ? later(time, by) : time + by;
}

}  // namespace sluice::engine
