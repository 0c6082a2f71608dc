#include "sim/sleep_command.hpp"

#include "sim/fields.hpp"
#include "sim/pace.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::sim {

namespace {

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    std::size_t at = 0;
    while ((at = text.find_first_not_of(' ', at)) != std::string_view::npos) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        words.emplace_back(text.substr(at, end - at));
        at = end;
    }
    return words;
}

std::string_view program_of(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

/// Whole units alone: a part of a second is no matter here.
std::optional<Duration> read_length(std::string_view text) {
    if (text == "infinity" || text == "inf") {
        return to_duration(std::numeric_limits<std::int64_t>::max());
    }
    std::int64_t number = 0;
    const char* end = text.data() + text.size();
    const auto [rest, fault] = std::from_chars(text.data(), end, number);
    if (fault != std::errc() || number < 0) {
        return std::nullopt;
    }
    const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
    constexpr std::array<std::pair<std::string_view, std::int64_t>, 5> kUnits{
        {{"", 1}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86'400}}
    };
    const auto* found =
        std::ranges::find(kUnits, unit, [](const auto& each) { return each.first; });
    if (found == kUnits.end()) {
        return std::nullopt;
    }
    const std::int64_t most = std::numeric_limits<std::int64_t>::max() / found->second;
    return to_duration(std::min(number, most) * found->second);
}

std::optional<Duration> sleep_of_container(const json::Value& container) {
    std::vector<std::string> words;
    for (const char* list : {"command", "args"}) {
        for (const json::Value& word : list_at(container, {list})) {
            if (!word.is_string()) {
                return std::nullopt;
            }
            words.push_back(word.as_string());
        }
    }
    constexpr std::array<std::string_view, 4> kShells{"sh", "bash", "ash", "dash"};
    const bool is_shell = words.size() == 3 && words[1] == "-c" &&
                          std::ranges::find(kShells, program_of(words[0])) != kShells.end();
    if (is_shell) {
        words = words_of(words[2]);
    }
    return words.size() == 2 && program_of(words[0]) == "sleep" ? read_length(words[1])
                                                                : std::nullopt;
}

}  // namespace

std::optional<Duration> sleep_of(const json::Value& pod) {
    std::optional<Duration> longest;
    for (const json::Value& container : list_at(pod, {"spec", "containers"})) {
        const auto length = sleep_of_container(container);
        if (length && (!longest || *longest < *length)) {
            longest = length;
        }
    }
    return longest;
}

}  // namespace sluice::sim
