#include "cel/values/schema.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace sluice::cel {
namespace {

constexpr std::array<std::string_view, 21> kReserved{
    "true",     "false",   "null",      "in",       "as",  "break", "const",
    "continue", "else",    "for",       "function", "if",  "let",   "import",
    "loop",     "package", "namespace", "return",   "var", "void",  "while"
};

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kEscapes{{
    {"__", "__underscores__"},
    {".", "__dot__"},
    {"-", "__dash__"},
    {"/", "__slash__"},
}};

bool is_reserved(std::string_view word) {
    return std::ranges::find(kReserved, word) != kReserved.end();
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_word(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// Returns the length of the escape `__…__` at the beginning of the text; 0 if it does not begin
/// with one.
std::size_t escape_length(std::string_view text) {
    if (!text.starts_with("__")) {
        return 0;
    }
    const auto inner = text.find_first_not_of('_', 2);
    if (inner != 2) {
        return 0;
    }
    const auto end = text.find('_', inner);
    return end != std::string_view::npos && text.substr(end).starts_with("__") ? end + 2 : 0;
}

}  // namespace

std::optional<std::string> escape_name(std::string_view name) {
    if (name.empty() || is_digit(name.front())) {
        return std::nullopt;
    }
    if (is_reserved(name)) {
        return "__" + std::string(name) + "__";
    }
    std::string escaped;
    while (!name.empty()) {
        const auto found = std::ranges::find_if(kEscapes, [&](const auto& escape) {
            return name.starts_with(escape.first);
        });
        if (found != kEscapes.end()) {
            escaped += found->second;
            name.remove_prefix(found->first.size());
        } else if (is_word(name.front())) {
            escaped += name.front();
            name.remove_prefix(1);
        } else {
            return std::nullopt;
        }
    }
    return escaped;
}

std::optional<std::string> unescape_name(std::string_view name) {
    const auto whole = name.size();
    std::string plain;
    while (!name.empty()) {
        const auto length = escape_length(name);
        if (length == 0) {
            plain += name.front();
            name.remove_prefix(1);
            continue;
        }
        const auto escape = name.substr(0, length);
        const auto word = escape.substr(2, length - 4);
        const auto found = std::ranges::find(
            kEscapes, escape, &std::pair<std::string_view, std::string_view>::second
        );
        if (found != kEscapes.end()) {
            plain += found->first;
        } else if (is_reserved(word) && length == whole) {
            plain += word;
        } else {
            return std::nullopt;
        }
        name.remove_prefix(length);
    }
    return plain;
}

}  // namespace sluice::cel
