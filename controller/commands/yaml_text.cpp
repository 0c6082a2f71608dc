#include "controller/commands/yaml_text.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace sluice::commands {
namespace {

bool is_plain(std::string_view text) {
    // Words that are neither numbers nor one of YAML's names for true, false and null.
    constexpr std::string_view kFirst = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    constexpr std::string_view kRest =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./";
    if (text.empty() || kFirst.find(text.front()) == std::string_view::npos ||
        text.find_first_not_of(kRest) != std::string_view::npos) {
        return false;
    }
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    });
    constexpr std::string_view kNames[] = {
        "true", "false", "null", "yes", "no", "on", "off", "y", "n"
    };
    return std::ranges::find(kNames, lower) == std::end(kNames);
}

std::string scalar(const json::Value& value) {
    return value.is_string() && is_plain(value.as_string()) ? value.as_string()
                                                            : json::print(value);
}

std::string key(const std::string& text) {
    return is_plain(text) ? text : json::print(json::Value(text));
}

bool is_leaf(const json::Value& value) {
    return (!value.is_array() || value.as_array().empty()) &&
           (!value.is_object() || value.as_object().empty());
}

/// Appends the value; `line_started`: the first line already has its indentation.
void append(std::string& out, const json::Value& value, std::size_t indent, bool line_started) {
    const std::string margin(indent, ' ');
    const auto begin_line = [&] {
        if (!line_started) {
            out += margin;
        }
        line_started = false;
    };
    if (value.is_array()) {
        for (const auto& item : value.as_array()) {
            begin_line();
            out += "- ";
            if (is_leaf(item)) {
                out += scalar(item) + "\n";
            } else {
                append(out, item, indent + 2, true);
            }
        }
        return;
    }
    std::vector<const json::Member*> members;
    for (const auto& member : value.as_object()) {
        members.push_back(&member);
    }
    std::ranges::sort(members, {}, [](const json::Member* member) { return member->first; });
    for (const auto* member : members) {
        begin_line();
        out += key(member->first) + ":";
        if (is_leaf(member->second)) {
            out += " " + scalar(member->second) + "\n";
        } else {
            out += "\n";
            append(out, member->second, indent + (member->second.is_array() ? 0 : 2), false);
        }
    }
}

}  // namespace

std::string yaml_text(const json::Value& value) {
    if (is_leaf(value)) {
        return scalar(value) + "\n";
    }
    std::string out;
    append(out, value, 0, false);
    return out;
}

}  // namespace sluice::commands
