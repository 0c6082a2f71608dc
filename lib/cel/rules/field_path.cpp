#include "cel/rules/field_path.hpp"

#include "cel/rules/printing.hpp"

namespace sluice::cel {
namespace {

/// Removes `['…']` from the front and returns the text between the quotes, unescaped.
std::optional<std::string> take_quoted(std::string_view& text) {
    constexpr std::string_view kNames = "abfnrtv'\\";
    constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v'\\";
    if (!text.starts_with("['")) {
        return std::nullopt;
    }
    text.remove_prefix(2);
    std::string result;
    while (!text.empty() && text.front() != '\'') {
        if (text.front() == '\\') {
            text.remove_prefix(1);
            const auto at = text.empty() ? std::string_view::npos : kNames.find(text.front());
            if (at == std::string_view::npos) {
                return std::nullopt;
            }
            result += kMeanings[at];
        } else {
            result += text.front();
        }
        text.remove_prefix(1);
    }
    if (!text.starts_with("']")) {
        return std::nullopt;
    }
    text.remove_prefix(2);
    return result;
}

std::optional<std::string> take_name(std::string_view& text) {
    if (text.starts_with('[')) {
        return take_quoted(text);
    }
    if (!text.starts_with('.')) {
        return std::nullopt;
    }
    text.remove_prefix(1);
    const auto name = text.substr(0, text.find_first_of(".[]"));
    text.remove_prefix(name.size());
    return name.empty() ? std::nullopt : std::optional(std::string(name));
}

}  // namespace

std::optional<std::string> read_field_path(std::string_view text, const Schema& schema) {
    std::string path;
    const Schema* at = &schema;
    while (!text.empty()) {
        const auto name = take_name(text);
        if (!name) {
            return std::nullopt;
        }
        if (at->has_properties) {
            at = at->find(*name);
            path = child_path(path, *name);
        } else {
            at = at->additional.get();
            path += "[" + *name + "]";
        }
        if (at == nullptr) {
            return std::nullopt;
        }
    }
    return path;
}

}  // namespace sluice::cel
