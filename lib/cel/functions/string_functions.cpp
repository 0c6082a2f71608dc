#include "cel/syntax/overload.hpp"
#include "cel/values/operations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sluice::cel {
namespace {

using A = const Arguments&;

Value has_part(A a) {
    return a[0].is<Text>() && a[1].is<Text>()
               ? Value(a[0].text().find(a[1].text()) != std::string_view::npos)
               : no_such_overload();
}

Value starts_with(A a) {
    return a[0].is<Text>() && a[1].is<Text>() ? Value(a[0].text().starts_with(a[1].text()))
                                              : no_such_overload();
}

Value ends_with(A a) {
    return a[0].is<Text>() && a[1].is<Text>() ? Value(a[0].text().ends_with(a[1].text()))
                                              : no_such_overload();
}

Value matches(A a) {
    if (!a[0].is<Text>()) {
        return make_failure("no such overload: matches");
    }
    if (!a[1].is<Text>()) {
        return no_such_overload();
    }
    const Regex& regex = a.regexes.get(a[1].text());
    if (const auto problem = regex.problem()) {
        return make_failure("error parsing regexp: " + *problem);
    }
    return regex.is_found_in(a[0].text());
}

/// Returns the byte at which the code point with this index begins.
std::size_t byte_of(std::string_view text, std::int64_t index) {
    std::size_t at = 0;
    for (; at < text.size(); ++at) {
        if ((static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80U && index-- == 0) {
            break;
        }
    }
    return at;
}

Value out_of_range(std::int64_t index) {
    return make_failure(fmt::format("index out of range: {}", index));
}

Value char_at(A a) {
    const auto index = a[1].get<std::int64_t>();
    const auto size = count_code_points(a[0].text());
    if (index < 0 || index > size) {
        return out_of_range(index);
    }
    const auto begin = byte_of(a[0].text(), index);
    return make_string(
        std::string(a[0].text().substr(begin, byte_of(a[0].text(), index + 1) - begin))
    );
}

Value index_of(A a) {
    const auto text = a[0].text();
    const auto part = a[1].text();
    const auto offset = a.size() == 3 ? a[2].get<std::int64_t>() : 0;
    if (part.empty()) {
        return offset;
    }
    if (offset < 0) {
        return out_of_range(offset);
    }
    if (offset >= count_code_points(text)) {
        return std::int64_t{-1};
    }
    const auto found = text.find(part, byte_of(text, offset));
    return found == std::string_view::npos ? Value(std::int64_t{-1})
                                           : Value(count_code_points(text.substr(0, found)));
}

Value last_index_of(A a) {
    const auto text = a[0].text();
    const auto part = a[1].text();
    const auto size = count_code_points(text);
    if (part.empty()) {
        return a.size() == 3 ? a[2].get<std::int64_t>() : size;
    }
    if (a.size() == 2 && text.size() < part.size()) {
        return std::int64_t{-1};
    }
    const auto offset = a.size() == 3 ? a[2].get<std::int64_t>() : size - 1;
    if (offset < 0) {
        return out_of_range(offset);
    }
    if (offset >= size) {
        return std::int64_t{-1};
    }
    const auto found = text.rfind(part, byte_of(text, offset));
    return found == std::string_view::npos ? Value(std::int64_t{-1})
                                           : Value(count_code_points(text.substr(0, found)));
}

Value to_lower(A a) {
    std::string text(a[0].text());
    std::ranges::transform(text, text.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    });
    return make_string(std::move(text));
}

Value to_upper(A a) {
    std::string text(a[0].text());
    std::ranges::transform(text, text.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    });
    return make_string(std::move(text));
}

Value trim_text(A a) {
    constexpr std::array<std::string_view, 25> kSpaces{
        " ",
        "\t",
        "\n",
        "\v",
        "\f",
        "\r",
        "\xc2\x85",
        "\xc2\xa0",
        "\xe1\x9a\x80",
        "\xe2\x80\x80",
        "\xe2\x80\x81",
        "\xe2\x80\x82",
        "\xe2\x80\x83",
        "\xe2\x80\x84",
        "\xe2\x80\x85",
        "\xe2\x80\x86",
        "\xe2\x80\x87",
        "\xe2\x80\x88",
        "\xe2\x80\x89",
        "\xe2\x80\x8a",
        "\xe2\x80\xa8",
        "\xe2\x80\xa9",
        "\xe2\x80\xaf",
        "\xe2\x81\x9f",
        "\xe3\x80\x80"
    };
    auto text = a[0].text();
    const auto shorten = [&](auto at_end, auto remove) {
        for (bool found = true; found;) {
            found = false;
            for (const auto space : kSpaces) {
                if (at_end(space)) {
                    remove(space.size());
                    found = true;
                }
            }
        }
    };
    shorten(
        [&](auto space) { return text.starts_with(space); },
        [&](auto length) { text.remove_prefix(length); }
    );
    shorten(
        [&](auto space) { return text.ends_with(space); },
        [&](auto length) { text.remove_suffix(length); }
    );
    return make_string(std::string(text));
}

/// Returns the length of the first code point, in bytes.
std::size_t first_length(std::string_view text) {
    return text.empty() ? 0 : byte_of(text, 1);
}

Value replace(A a) {
    auto text = a[0].text();
    const auto from = a[1].text();
    const auto to = a[2].text();
    auto left = a.size() == 4 ? a[3].get<std::int64_t>() : std::int64_t{-1};
    std::string result;
    bool is_first = true;
    while (left != 0 && (!text.empty() || (is_first && from.empty()) || from.empty())) {
        const auto found = from.empty() ? (is_first ? 0 : first_length(text)) : text.find(from);
        if (found == std::string_view::npos || (from.empty() && !is_first && text.empty())) {
            break;
        }
        result += text.substr(0, found);
        result += to;
        text.remove_prefix(found + from.size());
        is_first = false;
        --left;
        if (result.size() > kMaxBytes) {
            return make_failure("the string is too long");
        }
    }
    result += text;
    return make_string(std::move(result));
}

Value split(A a) {
    auto text = a[0].text();
    const auto separator = a[1].text();
    const auto limit = a.size() == 3 ? a[2].get<std::int64_t>() : std::int64_t{-1};
    std::vector<Value> parts;
    const bool is_limited = limit >= 0 && limit <= static_cast<std::int64_t>(kMaxItems);
    if (text.size() > kMaxItems && !is_limited) {
        return make_failure("the list is too long");
    }
    if (limit == 0) {
        return make_list(std::move(parts));
    }
    if (separator.empty()) {
        while (!text.empty() && static_cast<std::int64_t>(parts.size()) != limit - 1) {
            const auto length = first_length(text);
            parts.push_back(make_string(std::string(text.substr(0, length))));
            text.remove_prefix(length);
        }
        if (!text.empty()) {
            parts.push_back(make_string(std::string(text)));
        }
        return make_list(std::move(parts));
    }
    while (static_cast<std::int64_t>(parts.size()) != limit - 1) {
        const auto found = text.find(separator);
        if (found == std::string_view::npos) {
            break;
        }
        parts.push_back(make_string(std::string(text.substr(0, found))));
        text.remove_prefix(found + separator.size());
    }
    parts.push_back(make_string(std::string(text)));
    return make_list(std::move(parts));
}

Value substring(A a) {
    const auto text = a[0].text();
    const auto size = count_code_points(text);
    const auto start = a[1].get<std::int64_t>();
    const auto end = a.size() == 3 ? a[2].get<std::int64_t>() : size;
    if (a.size() == 3 && start > end) {
        return make_failure(fmt::format("invalid substring range. start: {}, end: {}", start, end));
    }
    if (start < 0 || start > size) {
        return out_of_range(start);
    }
    if (end < 0 || end > size) {
        return out_of_range(end);
    }
    const auto begin = byte_of(text, start);
    return make_string(std::string(text.substr(begin, byte_of(text, end) - begin)));
}

Value join(A a) {
    const List* list = a[0].list();
    const auto separator = a.size() == 2 ? a[1].text() : std::string_view();
    std::string result;
    for (std::size_t i = 0; i < list->size(); ++i) {
        const Value& item = list->at(i);
        if (!item.is<Text>()) {
            return item.is_failure() ? item : make_failure("join: invalid input: " + show(item));
        }
        result += i == 0 ? std::string_view() : separator;
        result += item.text();
        if (result.size() > kMaxBytes) {
            return make_failure("the string is too long");
        }
    }
    return make_string(std::move(result));
}

Value quote_text(A a) {
    constexpr std::string_view kEscaped = "\a\b\f\n\r\t\v\\\"";
    constexpr std::string_view kNames = "abfnrtv\\\"";
    std::string result = "\"";
    for (const char c : a[0].text()) {
        const auto at = kEscaped.find(c);
        result += at != std::string_view::npos ? std::string{'\\', kNames[at]} : std::string{c};
    }
    return make_string(result + "\"");
}

Value find(A a) {
    const Regex& regex = a.regexes.get(a[1].text());
    if (const auto problem = regex.problem()) {
        return make_failure("Illegal regex: error parsing regexp: " + *problem);
    }
    const auto found = regex.find_all(a[0].text(), 1);
    return make_string(found.empty() ? std::string() : std::string(found[0]));
}

Value find_all(A a) {
    const Regex& regex = a.regexes.get(a[1].text());
    if (const auto problem = regex.problem()) {
        return make_failure("Illegal regex: error parsing regexp: " + *problem);
    }
    const auto limit = a.size() == 3 ? a[2].get<std::int64_t>() : std::int64_t{-1};
    std::vector<Value> parts;
    for (const auto part : regex.find_all(
             a[0].text(),
             limit < 0 ? kMaxItems : std::min(kMaxItems, static_cast<std::size_t>(limit))
         )) {
        parts.push_back(make_string(std::string(part)));
    }
    return make_list(std::move(parts));
}

constexpr auto kTyped = Guard::Signature;
constexpr auto kUnit = CostRule::Unit;
constexpr auto kScan = CostRule::Scan;
constexpr auto kTwice = CostRule::ScanTwice;
constexpr auto kRegex = CostRule::Regex;

constexpr auto kRows = std::to_array<FunctionRow>({
    {"contains", "contains_string", "string.(string) bool", has_part, CostRule::Contains},
    {"startsWith", "s", "string.(string) bool", starts_with, CostRule::StandardScan},
    {"endsWith", "s", "string.(string) bool", ends_with, CostRule::StandardScan},
    {"matches", "matches", "(string, string) bool", matches, kUnit},
    {"matches", "matches_string", "string.(string) bool", matches, CostRule::StandardRegex},
    {"charAt", "s", "string.(int) string", char_at, kUnit, kTyped},
    {"indexOf", "s", "string.(string) int", index_of, CostRule::Traversal, kTyped},
    {"indexOf", "si", "string.(string, int) int", index_of, CostRule::Traversal, kTyped},
    {"lastIndexOf", "s", "string.(string) int", last_index_of, CostRule::Traversal, kTyped},
    {"lastIndexOf", "si", "string.(string, int) int", last_index_of, CostRule::Traversal, kTyped},
    {"lowerAscii", "s", "string.() string", to_lower, kScan, kTyped},
    {"upperAscii", "s", "string.() string", to_upper, kScan, kTyped},
    {"trim", "s", "string.() string", trim_text, kScan, kTyped},
    {"replace", "ss", "string.(string, string) string", replace, kTwice, kTyped},
    {"replace", "ssi", "string.(string, string, int) string", replace, kTwice, kTyped},
    {"split", "s", "string.(string) list(string)", split, kTwice, kTyped},
    {"split", "si", "string.(string, int) list(string)", split, kTwice, kTyped},
    {"substring", "i", "string.(int) string", substring, kScan, kTyped},
    {"substring", "ii", "string.(int, int) string", substring, kScan, kTyped},
    {"join", "l", "list(string).() string", join, CostRule::ResultTwice, kTyped},
    {"join", "ls", "list(string).(string) string", join, CostRule::ResultTwice, kTyped},
    {"strings.quote", "s", "(string) string", quote_text, CostRule::StandardScan, kTyped},
    {"find", "s", "string.(string) string", find, kRegex, kTyped},
    {"findAll", "s", "string.(string) list(string)", find_all, kRegex, kTyped},
    {"findAll", "si", "string.(string, int) list(string)", find_all, kRegex, kTyped},
});

}  // namespace

std::span<const FunctionRow> string_rows() {
    return kRows;
}

}  // namespace sluice::cel
