#include "base/sha256.hpp"

#include "base/assert.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/crypto.h>
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

std::string hmac_sha256(std::string_view key, std::string_view text) {
    std::array<unsigned char, 32> code{};
    std::size_t size = code.size();
    SLUICE_ASSERT(
        EVP_Q_mac(
            nullptr,
            "HMAC",
            nullptr,
            "SHA256",
            nullptr,
            key.data(),
            key.size(),
            reinterpret_cast<const unsigned char*>(text.data()),
            text.size(),
            code.data(),
            code.size(),
            &size
        ) != nullptr
    );
    return {code.begin(), code.end()};
}

bool is_equal_secret(std::string_view one, std::string_view other) {
    return one.size() == other.size() && CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

}  // namespace sluice
