// Parses and prints durations as Go writes them.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"

#include <string>
#include <string_view>

namespace sluice::config {

/// Parses a duration as Go writes it (metav1.Duration): `300ms`, `-1.5h`, `2h45m`, `0`.
/// Errors: Invalid for any other text, such as a number without a unit, and for an overflow of
/// int64 nanoseconds.
Result<Duration> parse_go_duration(std::string_view text);

/// Prints a duration as Go prints it: `5m0s`, `1.5s`, `0s`.
std::string print_go_duration(Duration duration);

}  // namespace sluice::config
