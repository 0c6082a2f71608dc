#pragma once

#include <string>
#include <string_view>

namespace sluice {

/// SHA-1 of the text in hexadecimal. For names that others must be able to work out, not for
/// secrets. Requires: OpenSSL provides SHA-1, as its default and FIPS providers do.
std::string sha1_hex(std::string_view text);

}  // namespace sluice
