#include "controller/reconcilers/workload_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cstdint>

namespace sluice::controller {

namespace {

using Digest = std::array<std::uint32_t, 5>;

std::uint32_t word_at(std::string_view block, std::size_t position) {
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        word = word << 8U | static_cast<unsigned char>(block[position + i]);
    }
    return word;
}

void add_block(Digest& digest, std::string_view block) {
    std::array<std::uint32_t, 80> w{};
    for (std::size_t i = 0; i < 16; ++i) {
        w[i] = word_at(block, 4 * i);
    }
    for (std::size_t i = 16; i < 80; ++i) {
        w[i] = std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    }
    auto [a, b, c, d, e] = digest;
    for (std::size_t i = 0; i < 80; ++i) {
        std::uint32_t mixed = 0;
        if (i < 20) {
            mixed = ((b & c) | (~b & d)) + 0x5a827999U;
        } else if (i < 40) {
            mixed = (b ^ c ^ d) + 0x6ed9eba1U;
        } else if (i < 60) {
            mixed = ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdcU;
        } else {
            mixed = (b ^ c ^ d) + 0xca62c1d6U;
        }
        const std::uint32_t next = std::rotl(a, 5) + mixed + e + w[i];
        e = d;
        d = c;
        c = std::rotl(b, 30);
        b = a;
        a = next;
    }
    const Digest added{a, b, c, d, e};
    for (std::size_t i = 0; i < digest.size(); ++i) {
        digest[i] += added[i];
    }
}

}  // namespace

std::string sha1_hex(std::string_view text) {
    std::string padded(text);
    padded.push_back(static_cast<char>(0x80));
    padded.append((64 + 56 - padded.size() % 64) % 64, '\0');
    const std::uint64_t bits = static_cast<std::uint64_t>(text.size()) * 8;
    for (unsigned shift = 64; shift > 0; shift -= 8) {
        padded.push_back(static_cast<char>(bits >> (shift - 8) & 0xffU));
    }
    Digest digest{0x67452301U, 0xefcdab89U, 0x98badcfeU, 0x10325476U, 0xc3d2e1f0U};
    for (std::size_t at = 0; at < padded.size(); at += 64) {
        add_block(digest, std::string_view(padded).substr(at, 64));
    }
    std::string hex;
    for (const std::uint32_t word : digest) {
        hex += fmt::format("{:08x}", word);
    }
    return hex;
}

std::string workload_name(
    std::string_view kind,
    std::string_view group,
    std::string_view owner,
    std::string_view uid,
    std::size_t limit
) {
    std::string name(kind);
    std::ranges::transform(name, name.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    name += fmt::format("-{}", owner);
    constexpr std::size_t kHashLength = 5;
    name.resize(std::min(name.size(), limit - kHashLength - 1));
    const std::string hash = sha1_hex(fmt::format("{}\n{}\n{}\n{}", kind, group, owner, uid));
    return fmt::format("{}-{}", name, std::string_view(hash).substr(0, kHashLength));
}

}  // namespace sluice::controller
