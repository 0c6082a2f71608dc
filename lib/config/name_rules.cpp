#include "config/name_rules.hpp"

#include "api/meta/names.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>

namespace sluice::config {
namespace {

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// Returns true for a number of the base with at most `digits_max` digits and at most `value_max`.
bool is_number(std::string_view text, int base, std::size_t digits_max, unsigned value_max) {
    unsigned value = 0;
    const std::string digits(text.substr(0, digits_max));
    const auto* end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, value, base);
    return !text.empty() && text.size() <= digits_max && read.ptr == end && value <= value_max;
}

bool is_ipv4(std::string_view text) {
    for (int i = 0; i < 4; ++i) {
        const auto dot = text.find('.');
        const auto part = text.substr(0, dot);
        const bool has_leading_zero = part.size() > 1 && part.front() == '0';
        if (!is_number(part, 10, 3, 255) || has_leading_zero) {
            return false;
        }
        if (dot == std::string_view::npos) {
            return i == 3;
        }
        text.remove_prefix(dot + 1);
    }
    return false;
}

/// Returns the number of 16-bit groups in the text between two `::`, or -1 if it is invalid. The
/// last part may be an IPv4 address.
int count_groups(std::string_view text, bool may_end_in_ipv4) {
    int groups = 0;
    while (!text.empty()) {
        const auto colon = text.find(':');
        const auto part = text.substr(0, colon);
        const bool is_last = colon == std::string_view::npos;
        if (is_last && may_end_in_ipv4 && is_ipv4(part)) {
            return groups + 2;
        }
        if (!is_number(part, 16, 4, 0xFFFF)) {
            return -1;
        }
        ++groups;
        if (is_last) {
            return groups;
        }
        text.remove_prefix(colon + 1);
        if (text.empty()) {
            return -1;
        }
    }
    return groups;
}

bool is_ipv6(std::string_view text) {
    const auto gap = text.find("::");
    if (gap == std::string_view::npos) {
        return count_groups(text, true) == 8;
    }
    const auto before = count_groups(text.substr(0, gap), false);
    const auto after = count_groups(text.substr(gap + 2), true);
    return before >= 0 && after >= 0 && before + after < 8;
}

}  // namespace

bool is_dns_1035_label(std::string_view text) {
    return !api::check_dns1123_label(text) && is_letter(text.front());
}

bool is_c_identifier(std::string_view text) {
    return !text.empty() && !is_digit(text.front()) && std::ranges::all_of(text, [](char c) {
        return is_letter(c) || is_digit(c) || c == '_';
    });
}

bool is_ip_address(std::string_view text) {
    return is_ipv4(text) || is_ipv6(text);
}

}  // namespace sluice::config
