#include "config/go_duration.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <chrono>
#include <string>

namespace sluice::config {

using namespace std::chrono_literals;

TEST_CASE("durations are read as Go reads them", "[config][duration]") {
    struct Row {
        const char* text;
        Duration duration;
    };
    const auto row = GENERATE(
        Row{"0", 0ns},
        Row{"0s", 0ns},
        Row{"5m", 5min},
        Row{"1h30m", 90min},
        Row{"1.5h", 90min},
        Row{"-1.5s", -1500ms},
        Row{"+2s", 2s},
        Row{".5s", 500ms},
        Row{"1.s", 1s},
        Row{"300ms", 300ms},
        Row{"7us", 7us},
        Row{"7\u00b5s", 7us},
        Row{"7\u03bcs", 7us},
        Row{"3ns", 3ns},
        Row{"0.9ns", 0ns},
        Row{"1m1m", 2min},
        Row{"0.3333333333333333333333h", 1'199'999'999'999ns},
        Row{"9223372036854775807ns", Duration::max()},
        Row{"-9223372036854775808ns", Duration::min()}
    );
    CAPTURE(row.text);
    const auto read = parse_go_duration(row.text);
    REQUIRE(read);
    CHECK(read->count() == row.duration.count());
}

TEST_CASE("what is no duration is refused", "[config][duration]") {
    const auto* text = GENERATE(
        "",
        "5",
        "m",
        ".s",
        "-",
        "1 h",
        "5M",
        "1d",
        "5m ",
        "--5m",
        "1h-5m",
        "0x5m",
        "9223372036854775808ns",
        "-9223372036854775809ns",
        "99999999999999999999999999999h",
        "2562048h"
    );
    CAPTURE(text);
    const auto read = parse_go_duration(text);
    REQUIRE_FALSE(read);
    CHECK(read.error().code == ErrorCode::Invalid);
    CHECK(read.error().detail.find("is not a duration") != std::string::npos);
}

TEST_CASE("durations are printed as Go prints them and read back", "[config][duration]") {
    struct Row {
        Duration duration;
        const char* text;
    };
    const auto row = GENERATE(
        Row{0ns, "0s"},
        Row{5min, "5m0s"},
        Row{90min, "1h30m0s"},
        Row{24h, "24h0m0s"},
        Row{1500ms, "1.5s"},
        Row{61s + 1ns, "1m1.000000001s"},
        Row{1500us, "1.5ms"},
        Row{300ms, "300ms"},
        Row{7us, "7\u00b5s"},
        Row{3ns, "3ns"},
        Row{-90s, "-1m30s"},
        Row{Duration::min(), "-2562047h47m16.854775808s"},
        Row{Duration::max(), "2562047h47m16.854775807s"}
    );
    CHECK(print_go_duration(row.duration) == row.text);
    const auto back = parse_go_duration(row.text);
    REQUIRE(back);
    CHECK(back->count() == row.duration.count());
}

}  // namespace sluice::config
