#include "base/sha256.hpp"

#include "base/assert.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/evp.h>

#include <array>
#include <cstddef>

namespace sluice {

std::string sha256_hex(std::string_view text) {
    std::array<unsigned char, 32> digest{};
    std::size_t size = digest.size();
    SLUICE_ASSERT(
        EVP_Q_digest(nullptr, "SHA256", nullptr, text.data(), text.size(), digest.data(), &size) ==
        1
    );
    return fmt::format("{:02x}", fmt::join(digest, ""));
}

}  // namespace sluice
