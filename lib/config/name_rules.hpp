#pragma once

#include <string_view>

/// Forms of names that only the configuration has; the common ones are in api/names.hpp.
namespace sluice::config {

/// A DNS-1123 label that starts with a letter (RFC 1035).
bool is_dns_1035_label(std::string_view text);
/// A letter or _, then letters, digits and _.
bool is_c_identifier(std::string_view text);
/// Four numbers with dots, or an IPv6 address.
bool is_ip_address(std::string_view text);

}  // namespace sluice::config
