// Checks forms of names that only the configuration uses.
#pragma once

#include <string_view>

/// Checks forms of names that only the configuration uses; api/names.hpp has the common ones.
namespace sluice::config {

/// Returns true for a DNS-1123 label that starts with a letter (RFC 1035).
bool is_dns_1035_label(std::string_view text);
/// Returns true for a letter or _, followed by letters, digits and _.
bool is_c_identifier(std::string_view text);
/// Returns true for an IPv4 address (four numbers with dots) or an IPv6 address.
bool is_ip_address(std::string_view text);

}  // namespace sluice::config
