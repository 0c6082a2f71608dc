#include "yaml/scalar.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::yaml {
namespace {

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& words, std::string_view text) {
    return std::find(words.begin(), words.end(), text) != words.end();
}

constexpr std::array<std::string_view, 5> kNull{"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 11> kTrue{
    "true", "True", "TRUE", "y", "Y", "yes", "Yes", "YES", "on", "On", "ON"
};
constexpr std::array<std::string_view, 11> kFalse{
    "false", "False", "FALSE", "n", "N", "no", "No", "NO", "off", "Off", "OFF"
};
constexpr std::array<std::string_view, 6> kInfinite{
    ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"
};
constexpr std::array<std::string_view, 3> kMinusInfinite{"-.inf", "-.Inf", "-.INF"};
constexpr std::array<std::string_view, 3> kNotANumber{".nan", ".NaN", ".NAN"};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// Integers: 10, 0x1f, 0b11, 0o17 and 017.
std::optional<json::Value> read_integer(std::string_view text) {
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) {
        text.remove_prefix(1);
    }
    int base = 10;
    if (text.size() > 1 && text[0] == '0') {
        const char mark = text[1];
        base = mark == 'x' || mark == 'X' ? 16 : mark == 'b' || mark == 'B' ? 2 : 8;
        text.remove_prefix(is_digit(mark) ? 1 : mark == 'o' || mark == 'O' || base != 8 ? 2 : 0);
    }
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (text.empty() || error != std::errc() || end != text.data() + text.size()) {
        return std::nullopt;
    }
    constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (value > kMax) {
        return json::Value(negative ? -static_cast<double>(value) : static_cast<double>(value));
    }
    const auto number = static_cast<std::int64_t>(value);
    return json::Value(negative ? -number : number);
}

/// Digits, a point, an exponent; there is a digit before or after the point.
bool is_float(std::string_view text) {
    std::size_t i = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
    std::size_t digits = 0;
    for (; i < text.size() && is_digit(text[i]); ++i) {
        ++digits;
    }
    if (i < text.size() && text[i] == '.') {
        for (++i; i < text.size() && is_digit(text[i]); ++i) {
            ++digits;
        }
    }
    if (digits == 0) {
        return false;
    }
    if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
        ++i;
        i += i < text.size() && (text[i] == '-' || text[i] == '+') ? 1 : 0;
        const std::size_t first = i;
        while (i < text.size() && is_digit(text[i])) {
            ++i;
        }
        if (i == first) {
            return false;
        }
    }
    return i == text.size();
}

std::optional<json::Value> read_float(std::string_view text) {
    if (!is_float(text)) {
        return std::nullopt;
    }
    if (text.starts_with('+')) {
        text.remove_prefix(1);
    }
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
        return std::nullopt;
    }
    // Go prints a whole double without a point, so the API server reads 1.0 and 1e3 as integers.
    constexpr double kExact = 9007199254740992.0;
    if (value == std::trunc(value) && std::abs(value) <= kExact) {
        return json::Value(static_cast<std::int64_t>(value));
    }
    return json::Value(value);
}

/// Returns a number, or else the text.
json::Value resolve_number(std::string_view text) {
    std::string digits(text);
    std::erase(digits, '_');
    if (auto number = read_integer(digits)) {
        return std::move(*number);
    }
    if (auto number = read_float(digits)) {
        return std::move(*number);
    }
    return text;
}

/// Returns true if a word for null, true or false may begin like this.
bool may_be_word(std::string_view text) {
    constexpr std::size_t kLongestWord = 5;
    constexpr std::array<std::string_view, 7> kBeginnings{"nu", "tr", "fa", "ye", "no", "on", "of"};
    if (text.size() < 2 || text.size() > kLongestWord) {
        return text.size() < 2;
    }
    const auto to_lower = [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; };
    return std::ranges::any_of(kBeginnings, [&](std::string_view beginning) {
        return to_lower(text[0]) == beginning[0] && to_lower(text[1]) == beginning[1];
    });
}

}  // namespace

json::Value resolve_plain(std::string_view text) {
    if (!text.empty() && is_digit(text.front())) {
        return resolve_number(text);
    }
    if (contains(kNull, text)) {
        return {};
    }
    if (contains(kTrue, text) || contains(kFalse, text)) {
        return contains(kTrue, text);
    }
    if (contains(kInfinite, text) || contains(kMinusInfinite, text)) {
        constexpr double kInfinity = std::numeric_limits<double>::infinity();
        return contains(kInfinite, text) ? kInfinity : -kInfinity;
    }
    if (contains(kNotANumber, text)) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    const char first = text.front();
    return first == '-' || first == '+' || first == '.' ? resolve_number(text) : text;
}

bool is_surely_text(std::string_view text) {
    const char first = text.empty() ? '\0' : text.front();
    const bool is_letter = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z');
    return is_letter && !may_be_word(text);
}

}  // namespace sluice::yaml
