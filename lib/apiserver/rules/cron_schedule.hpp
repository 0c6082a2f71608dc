// Schedules of CronJobs, and the times at which they fire.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace sluice::apiserver {

/// The schedule of a CronJob: five fields (minute, hour, day of the month, month, day of the week),
/// or a word such as `@daily` or `@every 90s`, as the API server parses it. A time zone at the
/// front (`TZ=…`) is ignored. All times are UTC.
class CronSchedule {
  public:
    /// Errors: Invalid, in the API server's words.
    static Result<CronSchedule> parse(std::string_view text);

    /// Returns the first time of the schedule after `after`; nullopt if the schedule does not fire
    /// in the following five years, as for February 30.
    std::optional<Time> next(Time after) const;

  private:
    /// The values that a field allows, one bit for each value.
    struct Field {
        std::uint64_t values = 0;
        bool is_any = false;  ///< `*`: if one field of days has it, only the other one counts

        bool has(unsigned value) const { return (values >> value & 1U) != 0; }
    };

    bool is_on(std::chrono::year_month_day day) const;

    Duration every_{};  ///< if above 0, the schedule is `@every` and has no fields
    Field minutes_;
    Field hours_;
    Field days_;
    Field months_;
    Field weekdays_;

    friend class CronParser;
};

}  // namespace sluice::apiserver
