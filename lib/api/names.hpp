#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sluice::api {

/// The forms alone, whatever the length: a label, labels joined by dots, and a name that may have a
/// subdomain and '/' before it.
bool has_label_form(std::string_view text);
bool has_subdomain_form(std::string_view text);
bool has_qualified_name_form(std::string_view text);

/// Each of these answers nothing when the text is valid, else one sentence that says what a valid
/// one looks like.

/// A DNS-1123 label: lower-case letters, digits and '-', at most 63.
std::optional<std::string> check_dns1123_label(std::string_view text);
/// A DNS-1123 subdomain: labels joined by dots, at most 253. Most object names are one.
std::optional<std::string> check_dns1123_subdomain(std::string_view text);
/// A qualified name such as a label key or resource name: a name of at most 63, and maybe a
/// subdomain and
/// '/' before it.
std::optional<std::string> check_qualified_name(std::string_view text);
/// The value of a label: empty, or at most 63 letters, digits, '-', '_' and '.'.
std::optional<std::string> check_label_value(std::string_view text);

}  // namespace sluice::api
