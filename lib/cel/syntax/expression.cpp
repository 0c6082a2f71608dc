#include "cel/syntax/expression.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::cel {
namespace {

constexpr std::size_t kMaxFaults = 100;
constexpr std::size_t kMaxSnippet = 16'384;

std::string print_fault(std::string_view source, const Fault& fault) {
    const auto before = source.substr(0, fault.offset);
    const auto line = std::ranges::count(before, '\n') + 1;
    const auto start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
    std::string snippet(source.substr(start, source.find('\n', start) - start));
    std::ranges::replace(snippet, '\t', ' ');
    auto text = fmt::format(
        "ERROR: <input>:{}:{}: {}", line, count_code_points(before.substr(start)) + 1, fault.text
    );
    if (snippet.size() > kMaxSnippet) {
        return text;
    }
    text += "\n | " + snippet + "\n | ";
    std::string_view rest = snippet;
    for (std::size_t at = 0; at < fault.offset - start && !rest.empty();) {
        const auto length = character_length(rest);
        text += length > 1 ? "\uff0e" : ".";
        rest.remove_prefix(length);
        at += length;
    }
    return text + (!rest.empty() && character_length(rest) > 1 ? "\uff3e" : "^");
}

}  // namespace

std::size_t character_length(std::string_view text) {
    std::size_t length = 1;
    while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) {
        ++length;
    }
    return length;
}

std::string print_faults(std::string_view source, std::vector<Fault> faults) {
    std::ranges::stable_sort(faults, {}, &Fault::offset);
    std::string text;
    for (std::size_t i = 0; i < std::min(faults.size(), kMaxFaults); ++i) {
        text += i == 0 ? "" : "\n";
        text += print_fault(source, faults[i]);
    }
    if (faults.size() > kMaxFaults) {
        text += fmt::format("\n{} more errors were truncated", faults.size() - kMaxFaults);
    }
    return text;
}

}  // namespace sluice::cel
