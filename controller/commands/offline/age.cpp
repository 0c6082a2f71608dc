#include "controller/commands/offline/age.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>

namespace sluice::commands {

std::string print_clock(Time time, TimeZone zone) {
    const std::time_t seconds =
        std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
    std::tm parts{};
    if (zone == TimeZone::Utc) {
        gmtime_r(&seconds, &parts);
    } else {
        localtime_r(&seconds, &parts);
    }
    return fmt::format("{:%Y-%m-%d %H:%M}{}", parts, zone == TimeZone::Utc ? "Z" : "");
}

std::string print_age(Duration age) {
    const auto seconds =
        std::max<std::int64_t>(0, std::chrono::duration_cast<std::chrono::seconds>(age).count());
    const std::int64_t minutes = seconds / 60;
    const std::int64_t hours = minutes / 60;
    if (hours >= 24) {
        return fmt::format("{}d {}h", hours / 24, hours % 24);
    }
    if (hours > 0) {
        return fmt::format("{}h {:02}m", hours, minutes % 60);
    }
    return minutes > 0 ? fmt::format("{}m", minutes) : fmt::format("{}s", seconds);
}

}  // namespace sluice::commands
