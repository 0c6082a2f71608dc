#include "sim/apps/int_or_percent.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <system_error>

namespace sluice::sim {

std::int64_t resolve_int_or_percent(
    const json::Value* value, std::int64_t whole, Rounding rounding
) {
    if (value == nullptr || !value->is_string()) {
        return value != nullptr && value->is_int() ? value->as_int() : 0;
    }
    constexpr std::int64_t kWhole = 100;
    constexpr std::int64_t kPercentMax = 100'000;
    const std::string& text = value->as_string();
    std::int64_t percent = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), percent);
    if (read.ec == std::errc::result_out_of_range) {
        percent = kPercentMax;
    }
    percent = std::clamp<std::int64_t>(percent, 0, kPercentMax);
    return (whole * percent + (rounding == Rounding::Up ? kWhole - 1 : 0)) / kWhole;
}

}  // namespace sluice::sim
