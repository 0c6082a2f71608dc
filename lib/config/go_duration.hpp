#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"

#include <string>
#include <string_view>

namespace sluice::config {

/// Reads a duration as Go writes it (metav1.Duration): `300ms`, `-1.5h`, `2h45m`, `0`.
/// Errors: Invalid for anything else, a number without unit and an overflow of int64 nanoseconds
/// too.
Result<Duration> parse_go_duration(std::string_view text);

/// Prints a duration as Go does: `5m0s`, `1.5s`, `0s`.
std::string print_go_duration(Duration duration);

}  // namespace sluice::config
