#include "api/schema/schema_cell.hpp"

#include "base/assert.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace sluice::api {
namespace {

constexpr std::array<std::string_view, 7> kTypes{
    "str", "int32", "int64", "bool", "time", "qty", "obj"
};
constexpr std::array<std::string_view, 5> kPatternWords{"SUB", "LBL", "KEY", "KND", "RSN"};

/// Cuts off and returns the first word; blanks inside brackets belong to the word.
std::string_view take_word(std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    std::size_t depth = 0;
    std::size_t end = 0;
    for (; end < text.size() && (depth > 0 || text[end] != ' '); ++end) {
        const char c = text[end];
        depth += c == '(' || c == '[' || c == '{' ? 1 : 0;
        depth -= c == ')' || c == ']' || c == '}' ? 1 : 0;
    }
    return std::exchange(text, text.substr(end)).substr(0, end);
}

std::vector<std::string> split_list(std::string_view text) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const auto comma = std::min(text.find(','), text.size());
        const auto part = text.substr(0, comma);
        parts.emplace_back(part == "\"\"" ? std::string_view() : part);
        text.remove_prefix(std::min(comma + 1, text.size()));
        text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    }
    return parts;
}

std::int64_t read_number(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    SLUICE_ASSERT(error == std::errc() && end == text.data() + text.size());
    return value;
}

void read_rules(SchemaCell& cell, std::string_view word) {
    const auto dash = word.find('-');
    const auto first =
        read_number(word.substr(1, dash == std::string_view::npos ? dash : dash - 1));
    const auto last = dash == std::string_view::npos ? first : read_number(word.substr(dash + 2));
    for (auto rule = first; rule <= last; ++rule) {
        cell.rules.push_back(static_cast<int>(rule));
    }
}

void read_word(SchemaCell& cell, std::string_view word) {
    const auto inside = [&](std::size_t prefix) {
        return word.substr(prefix, word.size() - prefix - 1);
    };
    if (const auto dots = word.find(".."); dots != std::string_view::npos && word[0] != '[' &&
                                           word[0] != '{' && word[0] != 'E' && word[0] != 'D') {
        if (dots > 0) {
            cell.min = read_number(word.substr(0, dots));
        }
        if (dots + 2 < word.size()) {
            cell.max = read_number(word.substr(dots + 2));
        }
    } else if (word.starts_with("[") || word.starts_with("{")) {
        cell.type = cell.type.empty() ? (word[0] == '[' ? "list" : "map") : cell.type;
        cell.items = std::make_shared<const SchemaCell>(parse_cell(inside(1)));
    } else if (word.starts_with("E(")) {
        cell.values = split_list(inside(2));
    } else if (word.starts_with("D(")) {
        auto value = json::parse(inside(2));
        SLUICE_ASSERT(value.has_value());
        cell.default_value = std::move(*value);
    } else if (word.starts_with("map(")) {
        cell.list_type = "map";
        cell.list_keys = split_list(inside(4));
    } else if (word == "atomic" || word == "set") {
        cell.list_type = word;
    } else if (word == "R") {
        cell.required = true;
    } else if (std::find(kTypes.begin(), kTypes.end(), word) != kTypes.end()) {
        cell.type = word;
    } else if (std::find(kPatternWords.begin(), kPatternWords.end(), word) != kPatternWords.end()) {
        cell.pattern = word;
    } else if (word.starts_with("C")) {
        read_rules(cell, word);
    } else {
        SLUICE_ASSERT(word == "P");
    }
}

}  // namespace

SchemaCell parse_cell(std::string_view text) {
    SchemaCell cell;
    while (true) {
        const auto word = take_word(text);
        if (word.empty()) {
            return cell;
        }
        read_word(cell, word);
    }
}

}  // namespace sluice::api
