#include "api/names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::api {
namespace {

bool is_lower_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}
bool is_letter_or_digit(char c) {
    return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z');
}

bool is_name(std::string_view text) {
    return !text.empty() && is_letter_or_digit(text.front()) && is_letter_or_digit(text.back()) &&
           std::all_of(text.begin(), text.end(), [](char c) {
               return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.';
           });
}

std::string too_long(std::string_view text, std::size_t limit) {
    return fmt::format("must have at most {} characters, not {}", limit, text.size());
}

}  // namespace

bool has_label_form(std::string_view text) {
    return !text.empty() && is_lower_or_digit(text.front()) && is_lower_or_digit(text.back()) &&
           std::all_of(text.begin(), text.end(), [](char c) {
               return is_lower_or_digit(c) || c == '-';
           });
}

/// The labels of a subdomain have no length limit of their own.
bool has_subdomain_form(std::string_view text) {
    while (true) {
        const auto dot = text.find('.');
        if (!has_label_form(text.substr(0, dot))) {
            return false;
        }
        if (dot == std::string_view::npos) {
            return true;
        }
        text.remove_prefix(dot + 1);
    }
}

bool has_qualified_name_form(std::string_view text) {
    const auto slash = text.find('/');
    if (slash == std::string_view::npos) {
        return is_name(text);
    }
    return has_subdomain_form(text.substr(0, slash)) && is_name(text.substr(slash + 1));
}

std::optional<std::string> check_dns1123_label(std::string_view text) {
    if (text.size() > 63) {
        return too_long(text, 63);
    }
    if (!has_label_form(text)) {
        return "must be lower-case letters, digits and '-', with a letter or digit at both ends";
    }
    return std::nullopt;
}

std::optional<std::string> check_dns1123_subdomain(std::string_view text) {
    if (text.size() > 253) {
        return too_long(text, 253);
    }
    if (!has_subdomain_form(text)) {
        return "must be lower-case letters, digits, '-' and '.', with a letter or digit at both "
               "ends "
               "and around each dot";
    }
    return std::nullopt;
}

std::optional<std::string> check_qualified_name(std::string_view text) {
    const auto slash = text.find('/');
    if (slash != std::string_view::npos) {
        if (const auto problem = check_dns1123_subdomain(text.substr(0, slash))) {
            return "the part before '/' " + *problem;
        }
        text.remove_prefix(slash + 1);
    }
    if (text.size() > 63) {
        return "the name " + too_long(text, 63);
    }
    if (!is_name(text)) {
        return "the name must be letters, digits, '-', '_' and '.', with a letter or digit at both "
               "ends";
    }
    return std::nullopt;
}

std::optional<std::string> check_label_value(std::string_view text) {
    if (text.size() > 63) {
        return too_long(text, 63);
    }
    if (!text.empty() && !is_name(text)) {
        return "must be empty or letters, digits, '-', '_' and '.', with a letter or digit at both "
               "ends";
    }
    return std::nullopt;
}

}  // namespace sluice::api
