#pragma once

#include <string>
#include <string_view>

namespace sluice {

/// SHA-256 of the text in hexadecimal. Requires: OpenSSL provides it, as its default and FIPS
/// providers do.
std::string sha256_hex(std::string_view text);

/// HMAC-SHA256 (RFC 2104) of the text under the key: 32 bytes. Requires: as above.
std::string hmac_sha256(std::string_view key, std::string_view text);
/// Whether both are the same, in a time that does not tell where they differ.
bool is_equal_secret(std::string_view one, std::string_view other);

}  // namespace sluice
