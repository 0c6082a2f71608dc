#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::api {

/// The forms alone, whatever the length: a label, labels joined by dots, and a name that may have a
/// subdomain and '/' before it.
bool has_label_form(std::string_view text);
bool has_subdomain_form(std::string_view text);
bool has_qualified_name_form(std::string_view text);

/// Each of these answers nothing when the text is valid, else what the API server says of it, the
/// first of several sentences.

/// A DNS-1123 label: lower-case letters, digits and '-', at most 63.
std::optional<std::string> check_dns1123_label(std::string_view text);
/// A DNS-1123 subdomain: labels joined by dots, at most 253. Most object names are one.
std::optional<std::string> check_dns1123_subdomain(std::string_view text);
/// A qualified name such as a label key or resource name: a name of at most 63, and maybe a
/// subdomain and '/' before it.
std::optional<std::string> check_qualified_name(std::string_view text);
/// The value of a label: empty, or at most 63 letters, digits, '-', '_' and '.'.
std::optional<std::string> check_label_value(std::string_view text);

/// The same with all sentences that the API server has for the text; none: it is valid. A DNS-1035
/// label is a DNS-1123 label that begins with a letter.
std::vector<std::string> find_dns1035_label_problems(std::string_view text);
std::vector<std::string> find_dns1123_subdomain_problems(std::string_view text);
std::vector<std::string> find_qualified_name_problems(std::string_view text);
std::vector<std::string> find_label_value_problems(std::string_view text);

/// "MESSAGE (e.g. 'A',  or 'B', regex used for validation is 'PATTERN')", the form in which the API
/// server tells of a pattern.
std::string pattern_problem(
    std::string_view message,
    std::string_view pattern,
    std::initializer_list<std::string_view> examples
);

}  // namespace sluice::api
