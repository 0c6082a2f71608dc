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

/// Reads an RFC 3339 time with any fraction and offset. Times before 1900 and from 2190 on become
/// the same earliest and latest one, which are printed as of the years 1 and 9999. Errors: Invalid.
Result<Time> parse_time(std::string_view text);

/// As metav1.Time is printed: whole seconds in UTC, rounded down.
std::string to_string(Time time);
/// As metav1.MicroTime is printed: six digits of a second, UTC.
std::string to_string(const MicroTime& time);

}  // namespace sluice::api
