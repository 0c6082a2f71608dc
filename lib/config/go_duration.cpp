#include "config/go_duration.hpp"

#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <limits>
#include <utility>

namespace sluice::config {
namespace {

__extension__ using Wide = unsigned __int128;

struct Unit {
    std::string_view name;
    std::uint64_t nanoseconds;
};

// A longer unit comes before the units that it begins with. Go accepts both micro signs.
constexpr std::array kUnits = {
    Unit{"ns", 1},
    Unit{"us", 1'000},
    Unit{"\u00b5s", 1'000},
    Unit{"\u03bcs", 1'000},
    Unit{"ms", 1'000'000},
    Unit{"s", 1'000'000'000},
    Unit{"m", 60'000'000'000},
    Unit{"h", 3'600'000'000'000},
};
constexpr Wide kLimit = Wide{1} << 63;

bool is_decimal(char c) {
    return c >= '0' && c <= '9';
}

Error invalid(std::string_view text) {
    return make_invalid(
        fmt::format("\"{}\" is not a duration such as \"300ms\", \"5m\" or \"1h30m\"", text)
    );
}

/// Cuts one part such as `1.5h` off the text and returns its nanoseconds. Errors: Invalid if the
/// text does not begin with a part.
Result<Wide> take_part(std::string_view& rest, std::string_view whole) {
    Wide number = 0;
    Wide fraction = 0;
    Wide scale = 1;
    bool has_digits = false;
    for (; !rest.empty() && is_decimal(rest.front()); rest.remove_prefix(1)) {
        number = number * 10 + static_cast<unsigned>(rest.front() - '0');
        has_digits = true;
        if (number > kLimit) {
            return invalid(whole);
        }
    }
    if (!rest.empty() && rest.front() == '.') {
        rest.remove_prefix(1);
        for (; !rest.empty() && is_decimal(rest.front()); rest.remove_prefix(1)) {
            has_digits = true;
            if (scale < 1'000'000'000'000'000'000U) {  // further digits are below a nanosecond
                fraction = fraction * 10 + static_cast<unsigned>(rest.front() - '0');
                scale *= 10;
            }
        }
    }
    if (!has_digits) {
        return invalid(whole);
    }
    for (const auto& unit : kUnits) {
        if (!rest.starts_with(unit.name)) {
            continue;
        }
        rest.remove_prefix(unit.name.size());
        return number * unit.nanoseconds + fraction * unit.nanoseconds / scale;
    }
    return invalid(whole);
}

}  // namespace

Result<Duration> parse_go_duration(std::string_view text) {
    auto rest = text;
    const bool negative = rest.starts_with('-');
    if (negative || rest.starts_with('+')) {
        rest.remove_prefix(1);
    }
    if (rest == "0") {
        return Duration::zero();
    }
    if (rest.empty()) {
        return invalid(text);
    }
    Wide total = 0;
    while (!rest.empty()) {
        const auto part = take_part(rest, text);
        if (!part) {
            return part.error();
        }
        total += *part;
        if (total > kLimit) {
            return invalid(text);
        }
    }
    if (total == kLimit) {
        return negative ? Result<Duration>(Duration::min()) : Result<Duration>(invalid(text));
    }
    const auto nanoseconds = static_cast<std::int64_t>(total);
    return Duration(negative ? -nanoseconds : nanoseconds);
}

std::string print_go_duration(Duration duration) {
    if (duration == Duration::zero()) {
        return "0s";
    }
    const bool negative = duration < Duration::zero();
    auto rest = static_cast<std::uint64_t>(duration.count());
    if (negative) {
        rest = ~rest + 1;
    }
    std::string text = negative ? "-" : "";
    if (rest < 1'000'000'000) {
        const auto [unit, scale] = rest < 1'000       ? std::pair{"ns", 1.0}
                                   : rest < 1'000'000 ? std::pair{"\u00b5s", 1e3}
                                                      : std::pair{"ms", 1e6};
        return text + fmt::format("{}{}", static_cast<double>(rest) / scale, unit);
    }
    const auto hours = rest / 3'600'000'000'000U;
    const auto minutes = rest / 60'000'000'000U % 60;
    const auto seconds = rest / 1'000'000'000U % 60;
    const auto nanoseconds = rest % 1'000'000'000U;
    if (hours > 0) {
        text += fmt::format("{}h", hours);
    }
    if (hours > 0 || minutes > 0) {
        text += fmt::format("{}m", minutes);
    }
    text += fmt::format("{}", seconds);
    if (nanoseconds > 0) {
        auto digits = fmt::format("{:09}", nanoseconds);
        digits.erase(digits.find_last_not_of('0') + 1);
        text += "." + digits;
    }
    return text + "s";
}

}  // namespace sluice::config
