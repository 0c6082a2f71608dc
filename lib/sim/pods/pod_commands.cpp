#include "sim/pods/pod_commands.hpp"

#include "sim/objects/fields.hpp"
#include "sim/objects/pace.hpp"

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

/// Parses a duration of whole units; fractions of a second do not matter.
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

using Words = std::vector<std::string>;

/// Returns true if a shell reads the text as plain words, with only `;` and `&&` between
/// statements.
bool is_plain(std::string_view text) {
    if (text.find_first_of("|<>$`'\"\\(){}#*?~=!") != std::string_view::npos) {
        return false;
    }
    for (std::size_t at = text.find('&'); at != std::string_view::npos; at = text.find('&', at)) {
        if (text.substr(at, 2) != "&&") {
            return false;
        }
        at += 2;
    }
    return true;
}

/// Returns the statements of a shell's text, which are in separate lines or have `;` or `&&`
/// between them. Empty if the text contains anything else.
std::vector<Words> statements_of(std::string_view script) {
    if (!is_plain(script)) {
        return {};
    }
    std::string lines(script);
    std::ranges::replace(lines, '\n', ';');
    std::string_view text = lines;
    std::vector<Words> statements;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(';'), text.find("&&"));
        const std::string_view statement = text.substr(0, end);
        if (Words words = words_of(statement); !words.empty()) {
            statements.push_back(std::move(words));
        }
        if (end == std::string_view::npos) {
            break;
        }
        text.remove_prefix(end + (text[end] == ';' ? 1 : 2));
    }
    return statements;
}

/// Returns the statements of a container's command; empty if they are not known.
std::vector<Words> statements_of_container(const json::Value& container) {
    Words words;
    for (const char* list : {"command", "args"}) {
        for (const json::Value& word : list_at(container, {list})) {
            if (!word.is_string()) {
                return {};
            }
            words.push_back(word.as_string());
        }
    }
    constexpr std::array<std::string_view, 4> kShells{"sh", "bash", "ash", "dash"};
    const bool is_shell = words.size() == 3 && words[1] == "-c" &&
                          std::ranges::find(kShells, program_of(words[0])) != kShells.end();
    if (is_shell) {
        return statements_of(words[2]);
    }
    return words.empty() ? std::vector<Words>() : std::vector<Words>{std::move(words)};
}

std::optional<std::int64_t> read_exit_code(const Words& words) {
    if (words.size() != 2) {
        return words.size() == 1 ? std::optional<std::int64_t>(0) : std::nullopt;
    }
    int code = 0;
    const char* end = words[1].data() + words[1].size();
    const auto [rest, fault] = std::from_chars(words[1].data(), end, code);
    constexpr int kExitCodeMax = 255;
    return fault == std::errc() && rest == end && code >= 0 && code <= kExitCodeMax
               ? std::optional<std::int64_t>(code)
               : std::nullopt;
}

CommandedLife life_of_container(const json::Value& container) {
    CommandedLife life;
    for (const Words& words : statements_of_container(container)) {
        life.length = life.length.value_or(Duration::zero());
        const std::string_view program = program_of(words[0]);
        if (program == "exit" || program == "false") {
            const auto code = program == "exit" ? read_exit_code(words) : 1;
            return code ? CommandedLife{.length = life.length, .exit_code = code} : CommandedLife();
        }
        if (program == "sleep") {
            const auto length = words.size() == 2 ? read_length(words[1]) : std::nullopt;
            if (!length) {
                return {};
            }
            const Duration before = *life.length;
            life.length = *length > Duration::max() - before ? Duration::max() : before + *length;
        } else if (program != "true" && program != "echo") {
            return {};
        }
    }
    return life;
}

}  // namespace

bool fails_readiness_probe(const json::Value& container) {
    const json::Value* probe = container.find_path({"readinessProbe", "exec"});
    return probe != nullptr && life_of_container(*probe).exit_code.value_or(0) != 0;
}

CommandedLife commanded_life(const json::Value& pod) {
    CommandedLife all;
    Duration before = Duration::zero();
    for (const json::Value& container : list_at(pod, {"spec", "initContainers"})) {
        if (container.string_at("restartPolicy") == "Always") {
            continue;  // a sidecar runs next to the other containers
        }
        const CommandedLife life = life_of_container(container);
        const Duration own = life.length.value_or(Duration::zero());
        before = own > Duration::max() - before ? Duration::max() : before + own;
        if (life.exit_code.value_or(0) != 0) {
            return {.length = before, .exit_code = life.exit_code, .is_whole = true};
        }
    }
    all.is_whole = true;
    for (const json::Value& container : list_at(pod, {"spec", "containers"})) {
        const CommandedLife life = life_of_container(container);
        all.is_whole = all.is_whole && life.length.has_value();
        if (life.length && (!all.length || *all.length < *life.length)) {
            all.length = life.length;
        }
        if (life.exit_code && all.exit_code.value_or(0) == 0) {
            all.exit_code = life.exit_code;
        }
    }
    if (before > Duration::zero()) {
        const Duration after = all.length.value_or(Duration::zero());
        all.length = after > Duration::max() - before ? Duration::max() : before + after;
    }
    return all;
}

}  // namespace sluice::sim
