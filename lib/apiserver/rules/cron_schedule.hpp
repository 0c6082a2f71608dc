#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace sluice::apiserver {

/// The schedule of a CronJob: five fields (minute, hour, day of the month, month, day of the week),
/// or a word such as `@daily` or `@every 90s`, as the API server reads them. A time zone in front
/// (`TZ=…`) is passed over. All times are UTC.
class CronSchedule {
  public:
    /// Errors: Invalid, in the API server's words.
    static Result<CronSchedule> parse(std::string_view text);

    /// The first time after that one; none in the five years that follow, such as a 30th of
    /// February.
    std::optional<Time> next(Time after) const;

  private:
    /// The values that a field may have, a bit each.
    struct Field {
        std::uint64_t values = 0;
        bool is_any = false;  ///< `*`: of the two fields of days only the other one counts

        bool has(unsigned value) const { return (values >> value & 1U) != 0; }
    };

    bool is_on(std::chrono::year_month_day day) const;

    Duration every_{};  ///< above 0: instead of fields
    Field minutes_;
    Field hours_;
    Field days_;
    Field months_;
    Field weekdays_;

    friend class CronParser;
};

}  // namespace sluice::apiserver
