#include "api/meta/micro_time.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <optional>

namespace sluice::api {
namespace {

using std::chrono::floor;
using std::chrono::sys_days;
using std::chrono::year;

// Kubernetes accepts the years 0 to 9999, but nanoseconds in 64 bits span only 584 years. Times
// outside these two bounds become one of the bounds and are printed as the ends of Kubernetes'
// range, so that the usual "never" values survive a round trip. The bounds leave room for their
// distance to the present and for the longest duration that an int32 counts in seconds, 68 years.
constexpr Time kEarliest = sys_days(year(1900) / 1 / 1);
constexpr Time kLatest = sys_days(year(2190) / 1 / 1);
constexpr std::string_view kEarliestText = "0001-01-01T00:00:00";
constexpr std::string_view kLatestText = "9999-12-31T23:59:59";

/// Reads the fields of a time one after the other; fails at the first wrong character.
class TimeReader {
  public:
    explicit TimeReader(std::string_view text) : text_(text) {}

    std::optional<int> digits(std::size_t count) {
        if (text_.size() < count) {
            return std::nullopt;
        }
        int value = 0;
        for (std::size_t i = 0; i < count; ++i) {
            if (text_[i] < '0' || text_[i] > '9') {
                return std::nullopt;
            }
            value = value * 10 + (text_[i] - '0');
        }
        text_.remove_prefix(count);
        return value;
    }
    bool take(std::string_view any_of) {
        if (text_.empty() || any_of.find(text_.front()) == std::string_view::npos) {
            return false;
        }
        text_.remove_prefix(1);
        return true;
    }
    /// Returns the fraction of a second in nanoseconds; further digits are cut off.
    std::optional<std::int64_t> fraction() {
        std::int64_t nano = 0;
        int count = 0;
        while (const auto digit = digits(1)) {
            nano = count < 9 ? nano * 10 + *digit : nano;
            ++count;
        }
        for (int i = count; i < 9; ++i) {
            nano *= 10;
        }
        return count == 0 ? std::nullopt : std::optional(nano);
    }
    bool at_end() const { return text_.empty(); }
    char front() const { return text_.empty() ? '\0' : text_.front(); }

  private:
    std::string_view text_;
};

std::optional<Time> read_time(std::string_view text) {
    TimeReader in(text);
    const auto year = in.digits(4);
    const bool dash1 = in.take("-");
    const auto month = in.digits(2);
    const bool dash2 = in.take("-");
    const auto day = in.digits(2);
    const bool separator = in.take("Tt");
    const auto hour = in.digits(2);
    const bool colon1 = in.take(":");
    const auto minute = in.digits(2);
    const bool colon2 = in.take(":");
    const auto second = in.digits(2);
    if (!year || !dash1 || !month || !dash2 || !day || !separator || !hour || !colon1 || !minute ||
        !colon2 || !second || *hour > 23 || *minute > 59 || *second > 59) {
        return std::nullopt;
    }
    const std::chrono::year_month_day date{
        std::chrono::year(*year),
        std::chrono::month(static_cast<unsigned>(*month)),
        std::chrono::day(static_cast<unsigned>(*day))
    };
    std::int64_t nano = 0;
    if (in.take(".")) {
        const auto fraction = in.fraction();
        if (!fraction) {
            return std::nullopt;
        }
        nano = *fraction;
    }
    std::chrono::minutes offset{0};
    const char sign = in.front();
    if (!in.take("Zz")) {
        const bool has_sign = in.take("+-");
        const auto hours = in.digits(2);
        const bool colon = in.take(":");
        const auto minutes = in.digits(2);
        if (!has_sign || !hours || !colon || !minutes || *hours > 23 || *minutes > 59) {
            return std::nullopt;
        }
        offset = std::chrono::minutes(*hours * 60 + *minutes) * (sign == '-' ? -1 : 1);
    }
    if (!date.ok() || !in.at_end()) {
        return std::nullopt;
    }
    const std::chrono::sys_seconds seconds = sys_days(date) + std::chrono::hours(*hour) +
                                             std::chrono::minutes(*minute) +
                                             std::chrono::seconds(*second) - offset;
    if (seconds < floor<std::chrono::seconds>(kEarliest)) {
        return kEarliest;
    }
    if (seconds >= floor<std::chrono::seconds>(kLatest)) {
        return kLatest;
    }
    return seconds + std::chrono::nanoseconds(nano);
}

std::string print_seconds(Time time) {
    if (time == kEarliest || time == kLatest) {
        return std::string(time == kEarliest ? kEarliestText : kLatestText);
    }
    const auto seconds = floor<std::chrono::seconds>(time);
    const auto day = floor<std::chrono::days>(seconds);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock(seconds - day);
    return fmt::format(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}",
        static_cast<int>(date.year()),
        static_cast<unsigned>(date.month()),
        static_cast<unsigned>(date.day()),
        clock.hours().count(),
        clock.minutes().count(),
        clock.seconds().count()
    );
}

}  // namespace

Result<Time> parse_time(std::string_view text) {
    if (const auto time = read_time(text)) {
        return *time;
    }
    return make_invalid(fmt::format("'{}' is not a time as in 2006-01-02T15:04:05Z", text));
}

std::string to_string(Time time) {
    return print_seconds(time) + "Z";
}

std::string to_string(const MicroTime& time) {
    const auto micros = floor<std::chrono::microseconds>(time.time);
    const auto rest = (micros - floor<std::chrono::seconds>(micros)).count();
    return fmt::format("{}.{:06}Z", print_seconds(time.time), rest);
}

}  // namespace sluice::api
