#include "apiserver/objects/formats.hpp"

#include "base/assert.hpp"
#include "cel/values/regex.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <string>
#include <utility>

namespace sluice::apiserver {
namespace {

/// The formats that a regular expression checks.
const std::map<std::string_view, std::string_view>& expressions() {
    static const std::map<std::string_view, std::string_view> kExpressions{
        {"uuid", "(?i)^[0-9A-F]{8}-?[0-9A-F]{4}-?[0-9A-F]{4}-?[0-9A-F]{4}-?[0-9A-F]{12}$"},
        {"uuid3", "(?i)^[0-9A-F]{8}-?[0-9A-F]{4}-?3[0-9A-F]{3}-?[0-9A-F]{4}-?[0-9A-F]{12}$"},
        {"uuid4", "(?i)^[0-9A-F]{8}-?[0-9A-F]{4}-?4[0-9A-F]{3}-?[89AB][0-9A-F]{3}-?[0-9A-F]{12}$"},
        {"uuid5", "(?i)^[0-9A-F]{8}-?[0-9A-F]{4}-?5[0-9A-F]{3}-?[89AB][0-9A-F]{3}-?[0-9A-F]{12}$"},
        {"byte", "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"},
        {"mac", "^([0-9a-fA-F]{2}([:-])){5}[0-9a-fA-F]{2}$"},
        {"hexcolor", "^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$"},
        {"ssn", "^\\d{3}[- ]?\\d{2}[- ]?\\d{4}$"},
        {"bsonobjectid", "^[0-9a-fA-F]{24}$"},
        {"email", "^[^@\\s<>,;\"]+@[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$"},
        {"hostname",
         "^([a-zA-Z0-9\\p{S}\\p{L}]((-?[a-zA-Z0-9\\p{S}\\p{L}]{0,62})?)|"
         "([a-zA-Z0-9\\p{S}\\p{L}](([a-zA-Z0-9-\\p{S}\\p{L}]{0,61}[a-zA-Z0-9\\p{S}\\p{L}])?)(\\.))"
         "{1,}([a-zA-Z\\p{L}]){2,63})$"},
        {"uri", "^([A-Za-z][A-Za-z0-9+.-]*:[^\\s]+|/[^\\s]*)$"},
        {"duration",
         "^[+-]?(0|(\\d+(\\.\\d*)?|\\.\\d+)\\s*(ns|us|µs|μs|ms|s|m|h|"
         "nano(second)?s?|micro(second)?s?|milli(second)?s?|sec(ond)?s?|min(ute)?s?|hr|hours?|"
         "d|days?|w|wk|weeks?)"
         "((\\d+(\\.\\d*)?|\\.\\d+)(ns|us|µs|μs|ms|s|m|h))*)$"},
        {"k8s-short-name", "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$"},
        {"k8s-long-name", "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"},
        {"date-time",
         "^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]+)?)?"
         "(Z|[+-][0-9]{2}:?[0-9]{2})?$"},
        {"date", "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"},
    };
    return kExpressions;
}

bool matches_expression(
    std::string_view format, std::string_view expression, std::string_view text
) {
    // Each expression is compiled when it is first needed: compiling all of them would delay the
    // start of the server.
    thread_local std::map<std::string_view, cel::Regex> compiled;
    const auto& regex = compiled.try_emplace(format, expression).first->second;
    SLUICE_ASSERT(!regex.problem());
    return regex.is_found_in(text);
}

int digits_at(std::string_view text, std::size_t at, std::size_t length) {
    int value = -1;
    std::from_chars(text.data() + at, text.data() + at + length, value);
    return value;
}

bool is_calendar_day(std::string_view text) {
    constexpr std::array<int, 12> kDays{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const int year = digits_at(text, 0, 4);
    const int month = digits_at(text, 5, 2);
    const int day = digits_at(text, 8, 2);
    if (month < 1 || month > 12 || day < 1) {
        return false;
    }
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return day <= kDays[static_cast<std::size_t>(month - 1)] + (leap && month == 2 ? 1 : 0);
}

bool is_ipv4(std::string_view text) {
    int parts = 0;
    while (true) {
        const auto dot = text.find('.');
        const auto part = text.substr(0, dot);
        const bool digits =
            !part.empty() && part.size() <= 3 &&
            std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
        if (!digits || (part.size() > 1 && part.front() == '0') ||
            digits_at(part, 0, part.size()) > 255) {
            return false;
        }
        ++parts;
        if (dot == std::string_view::npos) {
            return parts == 4;
        }
        text.remove_prefix(dot + 1);
    }
}

bool is_hex_group(std::string_view text) {
    return !text.empty() && text.size() <= 4 && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    });
}

/// Returns the number of 16-bit groups in a part without "::"; -1 if the part is malformed.
int count_groups(std::string_view text, bool may_end_in_ipv4) {
    int groups = 0;
    while (!text.empty()) {
        const auto colon = text.find(':');
        const auto part = text.substr(0, colon);
        const bool is_last = colon == std::string_view::npos;
        if (is_last && may_end_in_ipv4 && part.find('.') != std::string_view::npos) {
            return is_ipv4(part) ? groups + 2 : -1;
        }
        if (!is_hex_group(part) || (!is_last && colon + 1 == text.size())) {
            return -1;
        }
        ++groups;
        text.remove_prefix(is_last ? text.size() : colon + 1);
    }
    return groups;
}

bool is_ipv6(std::string_view text) {
    if (text.find(':') == std::string_view::npos) {
        return false;
    }
    const auto gap = text.find("::");
    if (gap == std::string_view::npos) {
        return count_groups(text, true) == 8;
    }
    const int left = count_groups(text.substr(0, gap), false);
    const int right = count_groups(text.substr(gap + 2), true);
    return left >= 0 && right >= 0 && left + right <= 7;
}

bool is_cidr(std::string_view text) {
    const auto slash = text.find('/');
    if (slash == std::string_view::npos) {
        return false;
    }
    const auto bits = text.substr(slash + 1);
    const bool digits =
        !bits.empty() && bits.size() <= 3 &&
        std::all_of(bits.begin(), bits.end(), [](char c) { return c >= '0' && c <= '9'; });
    const auto address = text.substr(0, slash);
    const int length = digits ? digits_at(bits, 0, bits.size()) : -1;
    return length >= 0 &&
           ((is_ipv4(address) && length <= 32) || (is_ipv6(address) && length <= 128));
}

}  // namespace

bool has_format(std::string_view format, std::string_view text) {
    if (format == "datetime") {
        format = "date-time";
    }
    if (format == "ipv4") {
        return is_ipv4(text);
    }
    if (format == "ipv6") {
        return is_ipv6(text);
    }
    if (format == "cidr") {
        return is_cidr(text);
    }
    const auto found = expressions().find(format);
    if (found == expressions().end()) {
        return true;
    }
    if (!matches_expression(found->first, found->second, text)) {
        return false;
    }
    return !format.starts_with("date") || is_calendar_day(text);
}

}  // namespace sluice::apiserver
