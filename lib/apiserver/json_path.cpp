#include "apiserver/json_path.hpp"

#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Value;
using Found = std::vector<const Value*>;

/// What stands in brackets, without them, and takes it from the path; none: they do not close.
std::optional<std::string> take_bracket(std::string_view& path) {
    std::string content;
    char quote = 0;
    int depth = 0;
    for (std::size_t i = 0; i < path.size(); ++i) {
        const char c = path[i];
        if (quote != 0) {
            quote = c == quote ? '\0' : quote;
        } else if (c == '\'' || c == '"') {
            quote = c;
        } else if (c == '[' && ++depth == 1) {
            continue;
        } else if (c == ']' && --depth == 0) {
            path.remove_prefix(i + 1);
            return content;
        }
        content += c;
    }
    return std::nullopt;
}

/// A member's name up to the next dot or bracket; a backslash takes the next character as it is.
std::string take_name(std::string_view& path) {
    std::string name;
    while (!path.empty() && path.front() != '.' && path.front() != '[') {
        if (path.front() == '\\' && path.size() > 1) {
            path.remove_prefix(1);
        }
        name += path.front();
        path.remove_prefix(1);
    }
    return name;
}

Found members(const Found& values, std::string_view name) {
    Found found;
    for (const Value* value : values) {
        if (name == "*") {
            if (value->is_object()) {
                for (const auto& member : value->as_object()) {
                    found.push_back(&member.second);
                }
            } else if (value->is_array()) {
                for (const auto& item : value->as_array()) {
                    found.push_back(&item);
                }
            }
        } else if (const Value* member = value->find(name); member != nullptr) {
            found.push_back(member);
        }
    }
    return found;
}

Found items_at(const Found& values, std::int64_t place) {
    Found found;
    for (const Value* value : values) {
        if (!value->is_array()) {
            continue;
        }
        const auto& items = value->as_array();
        const auto size = static_cast<std::int64_t>(items.size());
        const auto at = place < 0 ? size + place : place;
        if (at >= 0 && at < size) {
            found.push_back(&items[static_cast<std::size_t>(at)]);
        }
    }
    return found;
}

std::string_view trim(std::string_view text) {
    while (!text.empty() && text.front() == ' ') {
        text.remove_prefix(1);
    }
    while (!text.empty() && text.back() == ' ') {
        text.remove_suffix(1);
    }
    return text;
}

std::string_view unquote(std::string_view text) {
    const bool is_quoted = text.size() >= 2 && (text.front() == '\'' || text.front() == '"')
                           && text.back() == text.front();
    return is_quoted ? text.substr(1, text.size() - 2) : text;
}

std::string text_of(const Value& value) {
    return value.is_string() ? value.as_string() : json::print(value);
}

/// Items that a filter such as `?(@.type=="Ready")` keeps.
Found filtered(const Found& values, std::string_view filter) {
    Found found;
    if (!filter.starts_with("?(") || !filter.ends_with(")")) {
        return found;
    }
    filter = filter.substr(2, filter.size() - 3);
    const auto unequal = filter.find("!=");
    const auto at = unequal == std::string_view::npos ? filter.find("==") : unequal;
    const auto left = trim(filter.substr(0, at));
    if (!left.starts_with('@')) {
        return found;
    }
    for (const Value* item : members(values, "*")) {
        const auto sides = find_json_path(*item, left.substr(1));
        if (at == std::string_view::npos) {
            if (!sides.empty()) {
                found.push_back(item);
            }
            continue;
        }
        const auto right = unquote(trim(filter.substr(at + 2)));
        const bool is_equal = !sides.empty() && text_of(*sides.front()) == right;
        if (!sides.empty() && is_equal == (unequal == std::string_view::npos)) {
            found.push_back(item);
        }
    }
    return found;
}

Found in_brackets(const Found& values, std::string_view content) {
    content = trim(content);
    if (content == "*") {
        return members(values, "*");
    }
    if (content.starts_with('?')) {
        return filtered(values, content);
    }
    std::int64_t place = 0;
    const auto [end, fault] =
        std::from_chars(content.data(), content.data() + content.size(), place);
    if (fault == std::errc{} && end == content.data() + content.size()) {
        return items_at(values, place);
    }
    const auto name = unquote(content);
    std::string plain;
    for (const char c : name) {
        if (c != '\\') {
            plain += c;
        }
    }
    return members(values, plain);
}

}  // namespace

std::vector<const Value*> find_json_path(const Value& root, std::string_view path) {
    Found found{&root};
    if (path.starts_with('{') && path.ends_with('}')) {
        path = path.substr(1, path.size() - 2);
    }
    if (path.starts_with('$')) {
        path.remove_prefix(1);
    }
    while (!path.empty() && !found.empty()) {
        if (path.front() == '[') {
            const auto content = take_bracket(path);
            if (!content) {
                return {};
            }
            found = in_brackets(found, *content);
            continue;
        }
        if (path.front() == '.') {
            path.remove_prefix(1);
        }
        if (path.empty() || path.front() == '[') {
            continue;
        }
        found = members(found, take_name(path));
    }
    return found;
}

std::string json_path_text(const Value& root, std::string_view path) {
    const auto found = find_json_path(root, path);
    return found.empty() || found.front()->is_null() ? std::string() : text_of(*found.front());
}

}  // namespace sluice::apiserver
