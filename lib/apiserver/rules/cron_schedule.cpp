#include "apiserver/rules/cron_schedule.hpp"

#include "config/go_duration.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <chrono>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sluice::apiserver {

namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_days;
using std::chrono::year_month_day;

constexpr std::array<std::string_view, 12> kMonths{
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"
};
constexpr std::array<std::string_view, 7> kWeekdays{
    "sun", "mon", "tue", "wed", "thu", "fri", "sat"
};

struct Bounds {
    unsigned min;
    unsigned max;
    std::span<const std::string_view> names;  ///< names of the values, starting at `min`
};
constexpr Bounds kMinute{0, 59, {}};
constexpr Bounds kHour{0, 23, {}};
constexpr Bounds kDay{1, 31, {}};
constexpr Bounds kMonth{1, 12, kMonths};
constexpr Bounds kWeekday{0, 6, kWeekdays};

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kWords{{
    {"@yearly", "0 0 1 1 *"},
    {"@annually", "0 0 1 1 *"},
    {"@monthly", "0 0 1 * *"},
    {"@weekly", "0 0 * * 0"},
    {"@daily", "0 0 * * *"},
    {"@midnight", "0 0 * * *"},
    {"@hourly", "0 * * * *"},
}};
constexpr std::string_view kEvery = "@every ";

std::vector<std::string> split(std::string_view text, std::string_view separators) {
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (separators.find(c) == std::string_view::npos) {
            parts.back() += c;
        } else {
            parts.emplace_back();
        }
    }
    return parts;
}

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return text;
}

Result<unsigned> read_cron_number(const std::string& text) {
    long value = 0;
    const char* end = text.data() + text.size();
    const char* begin = text.starts_with('+') ? text.data() + 1 : text.data();
    const auto [at, error] = std::from_chars(begin, end, value);
    if (error == std::errc::result_out_of_range) {
        return make_invalid(fmt::format(
            "failed to parse int from {0}: strconv.Atoi: parsing \"{0}\": value out of range", text
        ));
    }
    if (error != std::errc() || at != end) {
        return make_invalid(fmt::format(
            "failed to parse int from {0}: strconv.Atoi: parsing \"{0}\": invalid syntax", text
        ));
    }
    if (value < 0) {
        return make_invalid(fmt::format("negative number ({}) not allowed: {}", value, text));
    }
    constexpr long kMost = 1'000'000'000;
    return static_cast<unsigned>(std::min(value, kMost));
}

Result<unsigned> read_value(const std::string& text, const Bounds& bounds) {
    const auto name = std::ranges::find(bounds.names, std::string_view(lower(text)));
    if (name != bounds.names.end()) {
        return bounds.min + static_cast<unsigned>(name - bounds.names.begin());
    }
    return read_cron_number(text);
}

/// The part of a field between commas: `*`, `a` or `a-b`, each with an optional `/step`.
struct Range {
    unsigned first = 0;
    unsigned last = 0;
    unsigned step = 1;
    bool is_any = false;
};

Result<Range> read_range(const std::string& text, const Bounds& bounds) {
    const std::vector<std::string> with_step = split(text, "/");
    const std::vector<std::string> ends = split(with_step[0], "-");
    Range range;
    if (ends[0] == "*" || ends[0] == "?") {
        range = {.first = bounds.min, .last = bounds.max, .is_any = true};
    } else {
        const auto first = read_value(ends[0], bounds);
        if (!first) {
            return first.error();
        }
        range = {.first = *first, .last = *first};
        if (ends.size() == 2) {
            const auto last = read_value(ends[1], bounds);
            if (!last) {
                return last.error();
            }
            range.last = *last;
        } else if (ends.size() > 2) {
            return make_invalid("too many hyphens: " + text);
        }
    }
    if (with_step.size() == 2) {
        const auto step = read_cron_number(with_step[1]);
        if (!step) {
            return step.error();
        }
        range.step = *step;
        if (ends.size() == 1) {
            range.last = bounds.max;
        }
        range.is_any = range.is_any && range.step <= 1;
    } else if (with_step.size() > 2) {
        return make_invalid("too many slashes: " + text);
    }
    if (range.first < bounds.min) {
        return make_invalid(fmt::format(
            "beginning of range ({}) below minimum ({}): {}", range.first, bounds.min, text
        ));
    }
    if (range.last > bounds.max) {
        return make_invalid(
            fmt::format("end of range ({}) above maximum ({}): {}", range.last, bounds.max, text)
        );
    }
    if (range.first > range.last) {
        return make_invalid(fmt::format(
            "beginning of range ({}) beyond end of range ({}): {}", range.first, range.last, text
        ));
    }
    if (range.step == 0) {
        return make_invalid("step of range should be a positive number: " + text);
    }
    return range;
}

}  // namespace

class CronParser {
  public:
    static Result<CronSchedule> parse_word(std::string_view text) {
        const auto word =
            std::ranges::find(kWords, text, &std::pair<std::string_view, std::string_view>::first);
        if (word != kWords.end()) {
            return parse_fields(word->second);
        }
        if (!text.starts_with(kEvery)) {
            return make_invalid(fmt::format("unrecognized descriptor: {}", text));
        }
        const auto every = config::parse_go_duration(text.substr(kEvery.size()));
        if (!every) {
            return make_invalid(
                fmt::format("failed to parse duration {}: {}", text, every.error().detail)
            );
        }
        CronSchedule schedule;
        schedule.every_ =
            std::max<Duration>(std::chrono::floor<seconds>(*every), std::chrono::seconds(1));
        return schedule;
    }

    static Result<CronSchedule> parse_fields(std::string_view text) {
        std::vector<std::string> fields = split(text, " \t\n\v\f\r");
        std::erase(fields, "");
        if (fields.size() != 5) {
            return make_invalid(fmt::format(
                "expected exactly 5 fields, found {}: [{}]", fields.size(), fmt::join(fields, " ")
            ));
        }
        CronSchedule schedule;
        const std::array<std::pair<CronSchedule::Field*, Bounds>, 5> places{{
            {&schedule.minutes_, kMinute},
            {&schedule.hours_, kHour},
            {&schedule.days_, kDay},
            {&schedule.months_, kMonth},
            {&schedule.weekdays_, kWeekday},
        }};
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (const auto read = parse_field(fields[i], places[i].second, *places[i].first);
                !read) {
                return read.error();
            }
        }
        return schedule;
    }

  private:
    static Result<void> parse_field(
        std::string_view text, const Bounds& bounds, CronSchedule::Field& field
    ) {
        for (const std::string& part : split(text, ",")) {
            if (part.empty()) {
                continue;
            }
            const auto range = read_range(part, bounds);
            if (!range) {
                return range.error();
            }
            for (unsigned value = range->first; value <= range->last; value += range->step) {
                field.values |= std::uint64_t{1} << value;
            }
            field.is_any = field.is_any || range->is_any;
        }
        return {};
    }
};

Result<CronSchedule> CronSchedule::parse(std::string_view text) {
    if (text.empty()) {
        return make_invalid("empty spec string");
    }
    if (text.starts_with("TZ=") || text.starts_with("CRON_TZ=")) {
        const auto space = text.find(' ');
        text = space == std::string_view::npos ? std::string_view() : text.substr(space + 1);
        while (text.starts_with(' ')) {
            text.remove_prefix(1);
        }
    }
    return text.starts_with('@') ? CronParser::parse_word(text) : CronParser::parse_fields(text);
}

bool CronSchedule::is_on(year_month_day day) const {
    const bool is_day = days_.has(static_cast<unsigned>(day.day()));
    const bool is_weekday = weekdays_.has(std::chrono::weekday(sys_days(day)).c_encoding());
    // If both fields of days are restricted, a match of either is enough.
    return days_.is_any || weekdays_.is_any ? is_day && is_weekday : is_day || is_weekday;
}

std::optional<Time> CronSchedule::next(Time after) const {
    if (every_ > Duration()) {
        return std::chrono::floor<seconds>(after) + every_;
    }
    constexpr int kYears = 5;
    auto at = std::chrono::floor<minutes>(after) + minutes(1);
    const sys_days first = std::chrono::floor<days>(at);
    for (sys_days day = first; day < first + days(366 * kYears); day += days(1)) {
        const year_month_day date(day);
        if (!months_.has(static_cast<unsigned>(date.month())) || !is_on(date)) {
            continue;
        }
        for (at = day == first ? at : day; at < day + days(1); at += minutes(1)) {
            const auto hour = std::chrono::floor<hours>(at - day);
            const auto minute = at - day - hour;
            if (hours_.has(static_cast<unsigned>(hour.count())) &&
                minutes_.has(static_cast<unsigned>(minute.count()))) {
                return at;
            }
        }
    }
    return std::nullopt;
}

}  // namespace sluice::apiserver
