// Parses, prints and computes times and durations.
#pragma once

#include "cel/values/value.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::cel {

/// The first and last second of a timestamp: those of the years 1 and 9999.
constexpr std::int64_t kMinTime = -62'135'596'800;
constexpr std::int64_t kMaxTime = 253'402'300'799;

/// Parses a duration as Go prints it (`1h30m`). nullopt for other text.
std::optional<Duration> parse_duration(std::string_view text);
/// Parses a duration as Go prints it, or in OpenAPI's format `duration`: `3 days`, `1h 5 minutes`.
std::optional<Duration> parse_format_duration(std::string_view text);
/// Parses an RFC 3339 time, with or without a fraction. nullopt for other text.
std::optional<Timestamp> parse_timestamp(std::string_view text);
/// Parses a date: `2024-02-29`.
std::optional<Timestamp> parse_date(std::string_view text);
/// Parses OpenAPI's format `date-time`: RFC 3339, or without a zone.
std::optional<Timestamp> parse_format_date_time(std::string_view text);
/// Decodes base64 text.
std::optional<std::string> decode_bytes(std::string_view base64);

/// Prints a duration as CEL does: in seconds, `90s`.
std::string print_duration(Duration duration);
/// Prints an RFC 3339 time in the zone it was written in.
std::string print_timestamp(const Timestamp& time);
/// Prints the shortest text that reads as the number, with an exponent from 1e+06 on, as Go does.
std::string print_double(double number);

/// The parts of a time in the calendar of a zone.
struct CalendarTime {
    std::int64_t year = 0;
    int month = 0;        ///< from 1
    int day = 0;          ///< from 1
    int day_of_year = 0;  ///< from 0
    int day_of_week = 0;  ///< 0: Sunday
    int hours = 0;
    int minutes = 0;
    int seconds = 0;
    int milliseconds = 0;
};
/// Converts a time to the calendar of the zone with this offset.
CalendarTime to_calendar(const Timestamp& time, std::int32_t offset_seconds);

/// Returns the offset of a zone such as `+05:30`, `-1:00` or `UTC`, in seconds. Named zones are not
/// supported.
std::optional<std::int32_t> parse_zone(std::string_view text);

/// Returns the time after the duration; nullopt if outside the years 1 to 9999.
std::optional<Timestamp> add(const Timestamp& time, Duration duration);
/// Returns the duration between two times; nullopt if it does not fit.
std::optional<Duration> between(const Timestamp& from, const Timestamp& to);

}  // namespace sluice::cel
