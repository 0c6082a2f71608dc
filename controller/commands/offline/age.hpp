// Prints lengths of time and times for people.
#pragma once

#include "base/clock.hpp"

#include <cstdint>
#include <string>

namespace sluice::commands {

/// Which times are printed.
enum class TimeZone : std::uint8_t { Local, Utc };

/// Prints a length of time with two units: "2h 14m", "3d 4h", "41s"; "0s" if it is negative.
std::string print_age(Duration age);

/// Prints a time to the minute: "2026-01-30 18:50", with a Z in UTC.
std::string print_clock(Time time, TimeZone zone);

}  // namespace sluice::commands
