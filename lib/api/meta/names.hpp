// Checks names, label keys and label values by the rules of the API server.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::api {

/// Return true if the text has the form of a label or of labels joined by dots. They do not check
/// lengths.
bool has_label_form(std::string_view text);
bool has_subdomain_form(std::string_view text);

/// These functions return nullopt if the text is valid. Otherwise they return the API server's
/// message, the first if there are several.

/// Checks a DNS-1123 label: lower-case letters, digits and '-', at most 63 characters.
std::optional<std::string> check_dns1123_label(std::string_view text);
/// Checks a DNS-1123 subdomain: labels joined by dots, at most 253 characters. Most object names
/// are subdomains.
std::optional<std::string> check_dns1123_subdomain(std::string_view text);
/// Checks a qualified name such as a label key or resource name: a name of at most 63 characters,
/// with an optional subdomain and '/' in front.
std::optional<std::string> check_qualified_name(std::string_view text);
/// Checks a label value: empty, or at most 63 letters, digits, '-', '_' and '.'.
std::optional<std::string> check_label_value(std::string_view text);

/// These functions return all messages that the API server has for the text; empty if it is valid.
/// A DNS-1035 label is a DNS-1123 label that begins with a letter.
std::vector<std::string> find_dns1035_label_problems(std::string_view text);
std::vector<std::string> find_dns1123_subdomain_problems(std::string_view text);
std::vector<std::string> find_qualified_name_problems(std::string_view text);
std::vector<std::string> find_label_value_problems(std::string_view text);

/// Returns "MESSAGE (e.g. 'A',  or 'B', regex used for validation is 'PATTERN')", as the API server
/// reports a text that does not match a pattern.
std::string pattern_problem(
    std::string_view message,
    std::string_view pattern,
    std::initializer_list<std::string_view> examples
);

}  // namespace sluice::api
