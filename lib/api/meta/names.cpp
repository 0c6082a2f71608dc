#include "api/meta/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

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

constexpr std::string_view kLabelPattern = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
constexpr std::string_view kSubdomainPattern =
    "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
constexpr std::string_view kNamePattern = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
constexpr std::string_view kValuePattern = "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?";
constexpr std::string_view kNameRule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character";

std::string too_long(std::size_t limit) {
    return fmt::format("must be no more than {} bytes", limit);
}

std::string name_problem() {
    return pattern_problem(kNameRule, kNamePattern, {"MyName", "my.name", "123-abc"});
}

std::optional<std::string> first_of(std::vector<std::string> problems) {
    return problems.empty() ? std::nullopt : std::optional(std::move(problems.front()));
}

}  // namespace

bool has_label_form(std::string_view text) {
    return !text.empty() && is_lower_or_digit(text.front()) && is_lower_or_digit(text.back()) &&
           std::all_of(text.begin(), text.end(), [](char c) {
               return is_lower_or_digit(c) || c == '-';
           });
}

/// Returns true for labels joined by dots. The labels of a subdomain have no separate length limit.
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

std::string pattern_problem(
    std::string_view message,
    std::string_view pattern,
    std::initializer_list<std::string_view> examples
) {
    if (examples.size() == 0) {
        return fmt::format("{} (regex used for validation is '{}')", message, pattern);
    }
    std::string text = fmt::format("{} (e.g. ", message);
    std::string_view before;
    for (const std::string_view example : examples) {
        text += fmt::format("{}'{}', ", before, example);
        before = " or ";
    }
    return text + fmt::format("regex used for validation is '{}')", pattern);
}

std::optional<std::string> check_dns1123_label(std::string_view text) {
    if (text.size() > 63) {
        return too_long(63);
    }
    if (!has_label_form(text) && has_subdomain_form(text)) {
        return "must not contain dots";
    }
    if (!has_label_form(text)) {
        return pattern_problem(
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
            "and must start and end with an alphanumeric character",
            kLabelPattern,
            {"my-name", "123-abc"}
        );
    }
    return std::nullopt;
}

std::vector<std::string> find_dns1035_label_problems(std::string_view text) {
    std::vector<std::string> problems;
    if (text.size() > 63) {
        problems.emplace_back("must be no more than 63 characters");
    }
    if (!has_label_form(text) || (text.front() >= '0' && text.front() <= '9')) {
        problems.push_back(pattern_problem(
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with"
            " an alphabetic character, and end with an alphanumeric character",
            "[a-z]([-a-z0-9]*[a-z0-9])?",
            {"my-name", "abc-123"}
        ));
    }
    return problems;
}

std::vector<std::string> find_dns1123_subdomain_problems(std::string_view text) {
    std::vector<std::string> problems;
    if (text.size() > 253) {
        problems.push_back(too_long(253));
    }
    if (!has_subdomain_form(text)) {
        problems.push_back(pattern_problem(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, "
            "'-' or '.', and must start and end with an alphanumeric character",
            kSubdomainPattern,
            {"example.com"}
        ));
    }
    return problems;
}

std::vector<std::string> find_qualified_name_problems(std::string_view text) {
    std::vector<std::string> problems;
    const auto slash = text.find('/');
    if (slash != std::string_view::npos) {
        const std::string_view prefix = text.substr(0, slash);
        text.remove_prefix(slash + 1);
        if (text.find('/') != std::string_view::npos) {
            problems.push_back(
                "a valid label key " + name_problem() +
                " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            );
            return problems;
        }
        if (prefix.empty()) {
            problems.emplace_back("prefix part must be non-empty");
        } else {
            for (const auto& problem : find_dns1123_subdomain_problems(prefix)) {
                problems.push_back("prefix part " + problem);
            }
        }
    }
    if (text.empty()) {
        problems.emplace_back("name part must be non-empty");
    } else if (text.size() > 63) {
        problems.push_back("name part " + too_long(63));
    }
    if (!is_name(text)) {
        problems.push_back("name part " + name_problem());
    }
    return problems;
}

std::vector<std::string> find_label_value_problems(std::string_view text) {
    std::vector<std::string> problems;
    if (text.size() > 63) {
        problems.push_back(too_long(63));
    }
    if (!text.empty() && !is_name(text)) {
        problems.push_back(pattern_problem(
            fmt::format("a valid label must be an empty string or {}", kNameRule.substr(5)),
            kValuePattern,
            {"MyValue", "my_value", "12345"}
        ));
    }
    return problems;
}

std::optional<std::string> check_dns1123_subdomain(std::string_view text) {
    return first_of(find_dns1123_subdomain_problems(text));
}

std::optional<std::string> check_qualified_name(std::string_view text) {
    return first_of(find_qualified_name_problems(text));
}

std::optional<std::string> check_label_value(std::string_view text) {
    return first_of(find_label_value_problems(text));
}

}  // namespace sluice::api
