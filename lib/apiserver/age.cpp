#include "apiserver/age.hpp"

#include <fmt/format.h>

namespace sluice::apiserver {

namespace chrono = std::chrono;

std::string format_age(Duration age) {
    const auto seconds = chrono::floor<chrono::seconds>(age).count();
    if (seconds < -1) {
        return "<invalid>";
    }
    if (seconds < 0) {
        return "0s";
    }
    const auto minutes = seconds / 60;
    const auto hours = minutes / 60;
    const auto days = hours / 24;
    const auto two = [](auto big, char big_unit, auto small, char small_unit) {
        return small == 0 ? fmt::format("{}{}", big, big_unit)
                          : fmt::format("{}{}{}{}", big, big_unit, small, small_unit);
    };
    if (seconds < 120) {
        return fmt::format("{}s", seconds);
    }
    if (minutes < 10) {
        return two(minutes, 'm', seconds % 60, 's');
    }
    if (minutes < 180) {
        return fmt::format("{}m", minutes);
    }
    if (hours < 8) {
        return two(hours, 'h', minutes % 60, 'm');
    }
    if (hours < 48) {
        return fmt::format("{}h", hours);
    }
    if (hours < 192) {
        return two(days, 'd', hours % 24, 'h');
    }
    if (days < 730) {
        return fmt::format("{}d", days);
    }
    const auto years = days / 365;
    return days < 2920 ? two(years, 'y', days % 365, 'd') : fmt::format("{}y", years);
}

}  // namespace sluice::apiserver
