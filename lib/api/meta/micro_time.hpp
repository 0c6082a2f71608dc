// Parses and prints times as Kubernetes writes them.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"

#include <string>
#include <string_view>

namespace sluice::api {

/// metav1.MicroTime: a time that is printed with microseconds (Lease, Event).
struct MicroTime {
    Time time;
    friend auto operator<=>(const MicroTime&, const MicroTime&) = default;
};

/// Parses an RFC 3339 time with any fraction and offset. All times before 1900 become one earliest
/// time, printed as in year 1; all times from 2190 on become one latest time, printed as in year
/// 9999. Errors: Invalid.
Result<Time> parse_time(std::string_view text);

/// Prints a time like metav1.Time: whole seconds in UTC, rounded down.
std::string to_string(Time time);
/// Prints a time like metav1.MicroTime: with microseconds, in UTC.
std::string to_string(const MicroTime& time);

}  // namespace sluice::api
