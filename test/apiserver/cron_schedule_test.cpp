#include "apiserver/rules/cron_schedule.hpp"

#include "api/meta/micro_time.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <string>
#include <utility>
#include <vector>

namespace sluice::apiserver {

using std::string;

namespace {

Time at(const string& text) {
    return api::parse_time(text).value();
}

/// The times that follow, in whole.
std::vector<string> next(const string& schedule, const string& after, int count) {
    const auto read = CronSchedule::parse(schedule);
    REQUIRE(read);
    std::vector<string> found;
    std::optional<Time> time = at(after);
    for (int i = 0; i < count && time; ++i) {
        time = read->next(*time);
        found.push_back(time ? api::to_string(*time) : "never");
    }
    return found;
}

}  // namespace

TEST_CASE("a schedule tells the times that follow", "[apiserver][cron]") {
    // 2026-01-01 is a Thursday.
    const string after = "2026-01-01T10:07:30Z";
    const auto [schedule, times] = GENERATE(table<string, std::vector<string>>({
        {"* * * * *", {"2026-01-01T10:08:00Z", "2026-01-01T10:09:00Z"}},
        {"*/20 * * * *", {"2026-01-01T10:20:00Z", "2026-01-01T10:40:00Z"}},
        {"5/30 11-12 * * *",
         {"2026-01-01T11:05:00Z", "2026-01-01T11:35:00Z", "2026-01-01T12:05:00Z"}},
        {"7 10 * * *", {"2026-01-02T10:07:00Z"}},
        {"0 0 1 * *", {"2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z"}},
        {"0 0 29 2 *", {"2028-02-29T00:00:00Z"}},
        {"30 6 * * mon,FRI", {"2026-01-02T06:30:00Z", "2026-01-05T06:30:00Z"}},
        {"0 0 * Mar *", {"2026-03-01T00:00:00Z", "2026-03-02T00:00:00Z"}},
        // Where both days are given one of them is enough; `?` is as `*`.
        {"0 0 3 * sat", {"2026-01-03T00:00:00Z", "2026-01-10T00:00:00Z"}},
        {"0 0 13 * 5", {"2026-01-02T00:00:00Z", "2026-01-09T00:00:00Z", "2026-01-13T00:00:00Z"}},
        {"0 0 ? * 5", {"2026-01-02T00:00:00Z", "2026-01-09T00:00:00Z"}},
        {"@hourly", {"2026-01-01T11:00:00Z", "2026-01-01T12:00:00Z"}},
        {"@weekly", {"2026-01-04T00:00:00Z", "2026-01-11T00:00:00Z"}},
        {"@yearly", {"2027-01-01T00:00:00Z"}},
        {"@every 90s", {"2026-01-01T10:09:00Z", "2026-01-01T10:10:30Z"}},
        {"@every 1ms", {"2026-01-01T10:07:31Z"}},
        {"TZ=Asia/Tokyo 0 12 * * *", {"2026-01-01T12:00:00Z"}},
        {"0 0 30 2 *", {"never"}},
        {", * * * *", {"never"}},
    }));
    CAPTURE(schedule);
    CHECK(next(schedule, after, static_cast<int>(times.size())) == times);
}

TEST_CASE("a schedule that cannot be read is refused as the API server does", "[apiserver][cron]") {
    const auto [schedule, fault] = GENERATE(table<string, string>({
        {"", "empty spec string"},
        {"* * * *", "expected exactly 5 fields, found 4: [* * * *]"},
        {"a  b", "expected exactly 5 fields, found 2: [a b]"},
        {"60 * * * *", "end of range (60) above maximum (59): 60"},
        {"* * 0 * *", "beginning of range (0) below minimum (1): 0"},
        {"* * * * 7", "end of range (7) above maximum (6): 7"},
        {"5-2 * * * *", "beginning of range (5) beyond end of range (2): 5-2"},
        {"1-2-3 * * * *", "too many hyphens: 1-2-3"},
        {"*/2/3 * * * *", "too many slashes: */2/3"},
        {"*/0 * * * *", "step of range should be a positive number: */0"},
        {"x * * * *", "failed to parse int from x: strconv.Atoi: parsing \"x\": invalid syntax"},
        {"*/-1 * * * *", "negative number (-1) not allowed: -1"},
        {"99999999999999999999 * * * *",
         "failed to parse int from 99999999999999999999: strconv.Atoi: parsing "
         "\"99999999999999999999\": value out of range"},
        {"@never", "unrecognized descriptor: @never"},
    }));
    CAPTURE(schedule);
    const auto read = CronSchedule::parse(schedule);
    REQUIRE_FALSE(read);
    CHECK(read.error().detail == fault);
    CHECK_FALSE(CronSchedule::parse("@every soon"));
    // A huge step is one that comes once.
    CHECK(
        next("*/999999999999 * * * *", "2026-01-01T00:00:00Z", 1).front() == "2026-01-01T01:00:00Z"
    );
}

}  // namespace sluice::apiserver
