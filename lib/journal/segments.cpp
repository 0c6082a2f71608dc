#include "journal/segments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace sluice::journal {
namespace {

constexpr std::string_view kPrefix = "journal-";
constexpr std::string_view kSuffix = ".jsonl.zst";

}  // namespace

std::string segment_name(Time begin, std::uint64_t number) {
    return fmt::format(
        "{}{:020}-{:08}{}", kPrefix, begin.time_since_epoch().count(), number, kSuffix
    );
}

std::vector<std::string> find_segments(const std::string& folder) {
    std::vector<std::string> found;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with(kPrefix) && name.ends_with(kSuffix)) {
            found.push_back(entry.path().string());
        }
    }
    std::ranges::sort(found);
    return found;
}

}  // namespace sluice::journal
