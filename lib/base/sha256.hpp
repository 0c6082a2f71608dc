#pragma once

#include <string>
#include <string_view>

namespace sluice {

/// SHA-256 of the text in hexadecimal. Requires: OpenSSL provides it, as its default and FIPS
/// providers do.
std::string sha256_hex(std::string_view text);

}  // namespace sluice
