// SHA-256, HMAC-SHA256, and comparison of secrets in constant time.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

/// Returns the SHA-256 of the text in hexadecimal. Requires: OpenSSL provides SHA-256, as its
/// default and FIPS providers do.
std::string sha256_hex(std::string_view text);

/// Returns the HMAC-SHA256 (RFC 2104) of the text under the key, as 32 bytes. Requires: OpenSSL
/// provides SHA-256.
std::string hmac_sha256(std::string_view key, std::string_view text);
/// Compares two texts in constant time, so that timing does not reveal where they differ.
bool is_equal_secret(std::string_view one, std::string_view other);

}  // namespace sluice
