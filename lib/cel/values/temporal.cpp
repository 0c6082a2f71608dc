#include "cel/values/temporal.hpp"

#include "config/go_duration.hpp"
#include "kube/core/base64.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

namespace sluice::cel {
namespace {

constexpr std::int64_t kDay = 86'400;
constexpr std::int64_t kNano = 1'000'000'000;
__extension__ using Wide = __int128;

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
    return a / b - (a % b < 0 ? 1 : 0);
}

/// Returns the days since 1970 of a date in the proleptic Gregorian calendar.
std::int64_t to_days(std::int64_t year, int month, int day) {
    year -= month <= 2 ? 1 : 0;
    const std::int64_t era = floor_div(year, 400);
    const std::int64_t year_of_era = year - era * 400;
    const std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    const std::int64_t day_of_era =
        year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146'097 + day_of_era - 719'468;
}

bool is_leap(std::int64_t year) {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

int days_in(std::int64_t year, int month) {
    constexpr std::array<int, 12> kDays{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return kDays.at(static_cast<std::size_t>(month) - 1) + (month == 2 && is_leap(year) ? 1 : 0);
}

/// Reads text of a fixed form from the front; records a failure if it has another form.
class Scanner {
  public:
    explicit Scanner(std::string_view text) : text_(text) {}

    int digits(std::size_t count) {
        int number = 0;
        for (std::size_t i = 0; i < count; ++i) {
            if (i >= text_.size() || text_[i] < '0' || text_[i] > '9') {
                failed_ = true;
                return 0;
            }
            number = number * 10 + (text_[i] - '0');
        }
        text_.remove_prefix(count);
        return number;
    }
    bool take(char c) {
        if (text_.empty() || text_.front() != c) {
            return false;
        }
        text_.remove_prefix(1);
        return true;
    }
    void need(char c) { failed_ = !take(c) || failed_; }
    /// Reads `.123` and returns it in nanoseconds; drops further digits.
    std::int32_t fraction() {
        if (!take('.') && !take(',')) {
            return 0;
        }
        std::int32_t nanoseconds = 0;
        std::int32_t unit = 100'000'000;
        failed_ = failed_ || text_.empty() || text_.front() < '0' || text_.front() > '9';
        for (; !text_.empty() && text_.front() >= '0' && text_.front() <= '9'; unit /= 10) {
            nanoseconds += (text_.front() - '0') * unit;
            text_.remove_prefix(1);
        }
        return nanoseconds;
    }
    void fail_unless(bool holds) { failed_ = failed_ || !holds; }
    bool is_at_end() const { return text_.empty(); }
    bool failed() const { return failed_; }

  private:
    std::string_view text_;
    bool failed_ = false;
};

std::int64_t take_day(Scanner& scanner) {
    const int year = scanner.digits(4);
    scanner.need('-');
    const int month = scanner.digits(2);
    scanner.need('-');
    const int day = scanner.digits(2);
    scanner.fail_unless(month >= 1 && month <= 12 && day >= 1);
    if (scanner.failed() || day > days_in(year, month)) {
        scanner.fail_unless(false);
        return 0;
    }
    return to_days(year, month, day) * kDay;
}

std::optional<Timestamp> parse_time(std::string_view text, bool needs_zone) {
    Scanner scanner(text);
    Timestamp time;
    time.seconds = take_day(scanner);
    scanner.need('T');
    const int hours = scanner.digits(2);
    scanner.need(':');
    const int minutes = scanner.digits(2);
    scanner.need(':');
    const int seconds = scanner.digits(2);
    scanner.fail_unless(hours < 24 && minutes < 60 && seconds < 60);
    time.seconds += hours * 3600 + minutes * 60 + seconds;
    time.nanoseconds = scanner.fraction();
    if (scanner.is_at_end() && !needs_zone) {
        return scanner.failed() ? std::nullopt : std::optional(time);
    }
    if (!scanner.take('Z')) {
        const bool is_west = scanner.take('-');
        if (!is_west) {
            scanner.need('+');
        }
        const int zone_hours = scanner.digits(2);
        scanner.need(':');
        const int zone_minutes = scanner.digits(2);
        scanner.fail_unless(zone_hours <= 24 && zone_minutes < 60);
        time.offset = (zone_hours * 3600 + zone_minutes * 60) * (is_west ? -1 : 1);
        time.seconds -= time.offset;
    }
    if (scanner.failed() || !scanner.is_at_end()) {
        return std::nullopt;
    }
    return time;
}

constexpr std::array<std::pair<std::string_view, std::int64_t>, 8> kUnits{{
    {"ns", 1},
    {"us", 1'000},
    {"ms", 1'000'000},
    {"s", kNano},
    {"m", 60 * kNano},
    {"h", 3600 * kNano},
    {"d", kDay* kNano},
    {"w", 7 * kDay* kNano},
}};
constexpr std::array<std::pair<std::string_view, std::int64_t>, 8> kLongUnits{{
    {"nano", 1},
    {"micro", 1'000},
    {"milli", 1'000'000},
    {"sec", kNano},
    {"min", 60 * kNano},
    {"hour", 3600 * kNano},
    {"day", kDay* kNano},
    {"week", 7 * kDay* kNano},
}};

std::optional<std::int64_t> find_unit(std::string_view word) {
    for (const auto& [name, size] : kUnits) {
        if (word == name) {
            return size;
        }
    }
    for (const auto& [name, size] : kLongUnits) {
        if (word.starts_with(name)) {
            return size;
        }
    }
    return std::nullopt;
}

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace

std::optional<Duration> parse_duration(std::string_view text) {
    const auto duration = config::parse_go_duration(text);
    if (!duration) {
        return std::nullopt;
    }
    return Duration{std::chrono::duration_cast<std::chrono::nanoseconds>(*duration).count()};
}

std::optional<Duration> parse_format_duration(std::string_view text) {
    if (auto duration = parse_duration(text)) {
        return duration;
    }
    Wide total = 0;
    bool has_part = false;
    while (!text.empty()) {
        std::int64_t number = 0;
        const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
        if (read.ec != std::errc()) {
            text.remove_prefix(1);
            continue;
        }
        text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
        const auto start = text.find_first_not_of(' ');
        text.remove_prefix(start == std::string_view::npos ? text.size() : start);
        std::string word;
        for (; !text.empty() && is_letter(text.front()); text.remove_prefix(1)) {
            word += static_cast<char>(text.front() | 0x20);
        }
        if (const auto unit = find_unit(word)) {
            has_part = true;
            total += Wide{number} * *unit;
        }
    }
    constexpr Wide kLimit = std::numeric_limits<std::int64_t>::max();
    if (!has_part || total > kLimit || total < -kLimit) {
        return std::nullopt;
    }
    return Duration{static_cast<std::int64_t>(total)};
}

std::optional<Timestamp> parse_timestamp(std::string_view text) {
    return parse_time(text, true);
}

std::optional<Timestamp> parse_date(std::string_view text) {
    Scanner scanner(text);
    Timestamp time;
    time.seconds = take_day(scanner);
    if (scanner.failed() || !scanner.is_at_end()) {
        return std::nullopt;
    }
    return time;
}

std::optional<Timestamp> parse_format_date_time(std::string_view text) {
    return text.empty() ? std::optional(Timestamp{}) : parse_time(text, false);
}

std::optional<std::string> decode_bytes(std::string_view base64) {
    auto bytes = kube::decode_base64(base64);
    if (!bytes) {
        return std::nullopt;
    }
    return std::move(*bytes);
}

std::string print_duration(Duration duration) {
    // Prints the shortest decimal number that reads as the double nearest to the seconds.
    const std::int64_t whole = duration.nanoseconds / kNano;
    const double seconds =
        static_cast<double>(whole) + static_cast<double>(duration.nanoseconds % kNano) / 1e9;
    std::array<char, 64> buffer{};
    const auto end = std::to_chars(
        buffer.data(), buffer.data() + buffer.size(), seconds, std::chars_format::fixed
    );
    return std::string(buffer.data(), end.ptr) + "s";
}

std::string print_timestamp(const Timestamp& time) {
    const CalendarTime parts = to_calendar(time, time.offset);
    auto text = fmt::format(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}",
        parts.year,
        parts.month,
        parts.day,
        parts.hours,
        parts.minutes,
        parts.seconds
    );
    if (time.nanoseconds != 0) {
        auto fraction = fmt::format(".{:09}", time.nanoseconds);
        fraction.erase(fraction.find_last_not_of('0') + 1);
        text += fraction;
    }
    if (time.offset == 0) {
        return text + "Z";
    }
    const int minutes = std::abs(time.offset) / 60;
    return text +
           fmt::format("{}{:02}:{:02}", time.offset < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

std::string print_double(double number) {
    if (std::isnan(number)) {
        return "NaN";
    }
    if (std::isinf(number)) {
        return number < 0 ? "-Inf" : "+Inf";
    }
    std::array<char, 64> buffer{};
    const auto print = [&](std::chars_format format) {
        const auto end =
            std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, format);
        return std::string(buffer.data(), end.ptr);
    };
    auto text = print(std::chars_format::scientific);
    const int exponent = std::atoi(text.c_str() + text.find('e') + 1);
    constexpr int kFirstLarge = 6;
    if (exponent < -4 || exponent >= kFirstLarge) {
        return text;
    }
    return print(std::chars_format::fixed);
}

CalendarTime to_calendar(const Timestamp& time, std::int32_t offset_seconds) {
    const std::int64_t local = time.seconds + offset_seconds;
    const std::int64_t days = floor_div(local, kDay);
    const auto rest = static_cast<int>(local - days * kDay);
    const std::int64_t shifted = days + 719'468;
    const std::int64_t era = floor_div(shifted, 146'097);
    const std::int64_t day_of_era = shifted - era * 146'097;
    const std::int64_t year_of_era =
        (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
    const std::int64_t day_of_year =
        day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const std::int64_t shifted_month = (5 * day_of_year + 2) / 153;
    CalendarTime parts;
    parts.month = static_cast<int>(shifted_month < 10 ? shifted_month + 3 : shifted_month - 9);
    parts.day = static_cast<int>(day_of_year - (153 * shifted_month + 2) / 5 + 1);
    parts.year = year_of_era + era * 400 + (parts.month <= 2 ? 1 : 0);
    parts.day_of_year = static_cast<int>(days - to_days(parts.year, 1, 1));
    parts.day_of_week = static_cast<int>((days % 7 + 11) % 7);
    parts.hours = rest / 3600;
    parts.minutes = rest / 60 % 60;
    parts.seconds = rest % 60;
    parts.milliseconds = time.nanoseconds / 1'000'000;
    return parts;
}

std::optional<std::int32_t> parse_zone(std::string_view text) {
    if (text.empty() || text == "UTC") {
        return 0;
    }
    const auto colon = text.find(':');
    if (colon == std::string_view::npos) {
        return std::nullopt;
    }
    const bool is_west = text.front() == '-';
    const auto first = text.front() == '-' || text.front() == '+' ? std::size_t{1} : 0;
    int hours = 0;
    int minutes = 0;
    const char* const begin = text.data();
    const auto read_hours = std::from_chars(begin + first, begin + colon, hours);
    const auto read_minutes = std::from_chars(begin + colon + 1, begin + text.size(), minutes);
    if (read_hours.ec != std::errc() || read_hours.ptr != begin + colon || hours > 24 ||
        read_minutes.ec != std::errc() || read_minutes.ptr != begin + text.size() || hours < 0 ||
        minutes < 0 || minutes > 59) {
        return std::nullopt;
    }
    return (hours * 3600 + minutes * 60) * (is_west ? -1 : 1);
}

std::optional<Timestamp> add(const Timestamp& time, Duration duration) {
    const Wide total = Wide{time.seconds} * kNano + time.nanoseconds + duration.nanoseconds;
    Wide seconds = total / kNano;
    auto rest = static_cast<std::int32_t>(total % kNano);
    if (rest < 0) {
        rest += static_cast<std::int32_t>(kNano);
        --seconds;
    }
    if (seconds < kMinTime || seconds > kMaxTime) {
        return std::nullopt;
    }
    return Timestamp{static_cast<std::int64_t>(seconds), rest, time.offset};
}

std::optional<Duration> between(const Timestamp& from, const Timestamp& to) {
    const Wide total = Wide{to.seconds - from.seconds} * kNano + to.nanoseconds - from.nanoseconds;
    if (total > std::numeric_limits<std::int64_t>::max() ||
        total < std::numeric_limits<std::int64_t>::min()) {
        return std::nullopt;
    }
    return Duration{static_cast<std::int64_t>(total)};
}

}  // namespace sluice::cel
