#pragma once

#include <algorithm>
#include <chrono>

namespace sluice::engine {

/// Wall-clock time in UTC; the same type as sluice::Time, named here because the engine sees std
/// alone.
using Time = std::chrono::sys_time<std::chrono::nanoseconds>;
using Duration = std::chrono::nanoseconds;

/// The time so much later; the last one of the clock where there is no such time. Requires: the
/// duration is not negative.
constexpr Time later(Time time, Duration by) {
    return by > Time::max() - std::max(time, Time()) ? Time::max() : time + by;
}

/// The time that a clock shows which was set forth by so much (back: negative), where it would have
/// shown the other.
constexpr Time shifted(Time time, Duration by) {
    return by > Duration() ? later(time, by) : time + by;
}

}  // namespace sluice::engine
