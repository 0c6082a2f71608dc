#pragma once

#include "cel/values/value.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::cel {

/// The first and last seconds that a timestamp may have: those of the years 1 and 9999.
constexpr std::int64_t kMinTime = -62'135'596'800;
constexpr std::int64_t kMaxTime = 253'402'300'799;

/// A duration as Go writes it (`1h30m`); none for anything else.
std::optional<Duration> parse_duration(std::string_view text);
/// The same, or as the OpenAPI format `duration` is read: `3 days`, `1h 5 minutes`.
std::optional<Duration> parse_format_duration(std::string_view text);
/// A time of RFC 3339, with a fraction or none; none for anything else.
std::optional<Timestamp> parse_timestamp(std::string_view text);
/// A day, `2024-02-29`.
std::optional<Timestamp> parse_date(std::string_view text);
/// The OpenAPI format `date-time`: RFC 3339, or without zone.
std::optional<Timestamp> parse_format_date_time(std::string_view text);
/// The bytes that base64 text stands for.
std::optional<std::string> decode_bytes(std::string_view base64);

/// As CEL prints it: in seconds, `90s`.
std::string print_duration(Duration duration);
/// RFC 3339 in the zone it was written in.
std::string print_timestamp(const Timestamp& time);
/// The shortest text that reads as the number, with an exponent from 1e+06 on, as Go prints it.
std::string print_double(double number);

/// The parts of a time on the calendar of a zone.
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
CalendarTime to_calendar(const Timestamp& time, std::int32_t offset_seconds);

/// The offset of a zone that is given as `+05:30`, `-1:00` or `UTC`, in seconds. Zones with names
/// are not known.
std::optional<std::int32_t> parse_zone(std::string_view text);

/// The time that much later; none outside the years 1 to 9999.
std::optional<Timestamp> add(const Timestamp& time, Duration duration);
/// The time between two; none when it does not fit.
std::optional<Duration> between(const Timestamp& from, const Timestamp& to);

}  // namespace sluice::cel
