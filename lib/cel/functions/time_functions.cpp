#include "cel/syntax/overload.hpp"
#include "cel/values/temporal.hpp"

#include <fmt/format.h>

#include <array>

namespace sluice::cel {
namespace {

using A = const Arguments&;

enum class Part : std::uint8_t {
    Year,
    Month,
    DayOfYear,
    DayOfMonth,
    Date,
    DayOfWeek,
    Hours,
    Minutes,
    Seconds,
    Milliseconds,
};

std::int64_t part_of(const CalendarTime& time, Part part) {
    switch (part) {
        case Part::Year:
            return time.year;
        case Part::Month:
            return time.month - 1;
        case Part::DayOfYear:
            return time.day_of_year;
        case Part::DayOfMonth:
            return time.day - 1;
        case Part::Date:
            return time.day;
        case Part::DayOfWeek:
            return time.day_of_week;
        case Part::Hours:
            return time.hours;
        case Part::Minutes:
            return time.minutes;
        case Part::Seconds:
            return time.seconds;
        case Part::Milliseconds:
            return time.milliseconds;
    }
    return 0;
}

template <Part Wanted>
Value get_part(A a) {
    std::int32_t offset = 0;
    if (a.size() == 2) {
        const auto zone = parse_zone(a[1].text());
        if (!zone) {
            return make_failure(fmt::format("unknown time zone {}", a[1].text()));
        }
        offset = *zone;
    }
    return part_of(to_calendar(a[0].get<Timestamp>(), offset), Wanted);
}

template <std::int64_t Unit>
Value in_units(A a) {
    return a[0].get<Duration>().nanoseconds / Unit;
}

Value milliseconds(A a) {
    constexpr std::int64_t kMilli = 1'000'000;
    return a[0].get<Duration>().nanoseconds / kMilli;
}

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr auto kTyped = Guard::Signature;
constexpr auto kUnit = CostRule::Unit;
constexpr std::string_view kPlain = "timestamp.() int";
constexpr std::string_view kZoned = "timestamp.(string) int";
constexpr std::string_view kDuration = "duration.() int";

constexpr auto kRows = std::to_array<FunctionRow>({
    {"getFullYear", "1", kPlain, get_part<Part::Year>, kUnit, kTyped},
    {"getFullYear", "2", kZoned, get_part<Part::Year>, kUnit, kTyped},
    {"getMonth", "1", kPlain, get_part<Part::Month>, kUnit, kTyped},
    {"getMonth", "2", kZoned, get_part<Part::Month>, kUnit, kTyped},
    {"getDayOfYear", "1", kPlain, get_part<Part::DayOfYear>, kUnit, kTyped},
    {"getDayOfYear", "2", kZoned, get_part<Part::DayOfYear>, kUnit, kTyped},
    {"getDayOfMonth", "1", kPlain, get_part<Part::DayOfMonth>, kUnit, kTyped},
    {"getDayOfMonth", "2", kZoned, get_part<Part::DayOfMonth>, kUnit, kTyped},
    {"getDate", "1", kPlain, get_part<Part::Date>, kUnit, kTyped},
    {"getDate", "2", kZoned, get_part<Part::Date>, kUnit, kTyped},
    {"getDayOfWeek", "1", kPlain, get_part<Part::DayOfWeek>, kUnit, kTyped},
    {"getDayOfWeek", "2", kZoned, get_part<Part::DayOfWeek>, kUnit, kTyped},
    {"getHours", "1", kPlain, get_part<Part::Hours>, kUnit, kTyped},
    {"getHours", "2", kZoned, get_part<Part::Hours>, kUnit, kTyped},
    {"getHours", "3", kDuration, in_units<3600 * kSecond>, kUnit, kTyped},
    {"getMinutes", "1", kPlain, get_part<Part::Minutes>, kUnit, kTyped},
    {"getMinutes", "2", kZoned, get_part<Part::Minutes>, kUnit, kTyped},
    {"getMinutes", "3", kDuration, in_units<60 * kSecond>, kUnit, kTyped},
    {"getSeconds", "1", kPlain, get_part<Part::Seconds>, kUnit, kTyped},
    {"getSeconds", "2", kZoned, get_part<Part::Seconds>, kUnit, kTyped},
    {"getSeconds", "3", kDuration, in_units<kSecond>, kUnit, kTyped},
    {"getMilliseconds", "1", kPlain, get_part<Part::Milliseconds>, kUnit, kTyped},
    {"getMilliseconds", "2", kZoned, get_part<Part::Milliseconds>, kUnit, kTyped},
    {"getMilliseconds", "3", kDuration, milliseconds, kUnit, kTyped},
});

}  // namespace

std::span<const FunctionRow> time_rows() {
    return kRows;
}

}  // namespace sluice::cel
