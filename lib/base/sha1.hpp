// SHA-1 in hexadecimal, for names that other programs must be able to compute.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

/// Returns the SHA-1 of the text in hexadecimal. For names that other programs must be able to
/// compute, not for secrets. Requires: OpenSSL provides SHA-1, as its default and FIPS providers
/// do.
std::string sha1_hex(std::string_view text);

}  // namespace sluice
